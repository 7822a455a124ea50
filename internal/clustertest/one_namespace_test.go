// Package clustertest tries the whole workshop on clusters that are not a
// learner's own: one where the user has a single namespace, and one without the
// marker. Each test starts a real control plane of its own.
package clustertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	authenticationv1 "k8s.io/api/authentication/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/existing"
	"example.com/client-go-workshop/internal/cluster/namespacelease"
	"example.com/client-go-workshop/internal/course"
)

// school is a real cluster whose learners have the role edit in a namespace each.
type school struct {
	cfg *rest.Config
	api kubernetes.Interface
}

func newSchool(t *testing.T) *school {
	t.Helper()
	cfg := newCluster(t).config(t)
	api, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	s := &school{cfg: cfg, api: api}
	s.bind(t, cluster.Namespace, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
		rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "system:serviceaccounts"})
	return s
}

func (s *school) bind(t *testing.T, ns string, role rbacv1.RoleRef, subject rbacv1.Subject) {
	t.Helper()
	_, err := s.api.RbacV1().RoleBindings(ns).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "learners-"}, RoleRef: role, Subjects: []rbacv1.Subject{subject},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// learner has a namespace of their name, and a kubeconfig whose context is "class".
func (s *school) learner(t *testing.T, name string) (kubeconfig string) {
	t.Helper()
	ctx := t.Context()
	_, err := s.api.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = s.api.CoreV1().ServiceAccounts(name).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	s.bind(t, name, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"},
		rbacv1.Subject{Kind: "ServiceAccount", Namespace: name, Name: name})
	token, err := s.api.CoreV1().ServiceAccounts(name).CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	kubeconfig = filepath.Join(t.TempDir(), "config")
	require.NoError(t, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"school": {Server: s.cfg.Host, CertificateAuthority: s.cfg.CAFile,
			CertificateAuthorityData: s.cfg.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{name: {Token: token.Status.Token}},
		Contexts:  map[string]*clientcmdapi.Context{"class": {Cluster: "school", AuthInfo: name, Namespace: name}},
	}, kubeconfig))
	return kubeconfig
}

// take runs `up --provider existing --context class --yes` for a learner, and
// returns the learner's state directory.
func take(t *testing.T, kubeconfig string) (*existing.Provider, string, error) {
	t.Helper()
	t.Setenv(cluster.KubeconfigEnv, kubeconfig)
	state := t.TempDir()
	p, err := existing.New(existing.Options{StateDir: state, Context: "class", Confirm: func(string) (bool, error) { return true, nil }})
	require.NoError(t, err)
	return p, state, p.Up(t.Context(), cluster.Quiet{})
}

// TestOneNamespace judges the solution of every chapter as a learner who may work
// in one namespace. The steps that cannot run are those that course.yaml names, all
// others pass, and nothing stays behind.
func TestOneNamespace(t *testing.T) {
	s := newSchool(t)
	root, err := cluster.Root()
	require.NoError(t, err)
	c, err := course.Open(root)
	require.NoError(t, err)
	workshop := filepath.Join(t.TempDir(), "workshop")
	build := exec.Command("go", "build", "-o", workshop, "./cmd/workshop")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	judged := make([]report, len(c.Chapters))
	before := map[string][]string{}
	group, ctx := errgroup.WithContext(t.Context())
	for i, chapter := range c.Chapters {
		name := "learner-" + chapter.Number
		_, state, err := take(t, s.learner(t, name))
		require.NoError(t, err)
		before[name] = s.objects(t, name)
		group.Go(func() error {
			cmd := exec.CommandContext(ctx, workshop, "check", chapter.ID, "--solution", "-o", "json")
			cmd.Dir = root
			cmd.Env = append(os.Environ(), cluster.KubeconfigEnv+"=", cluster.StateDirEnv+"="+state)
			out, err := cmd.Output()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				return fmt.Errorf("check %s: %w", chapter.ID, err)
			}
			if err := json.Unmarshal(out, &judged[i]); err != nil {
				return fmt.Errorf("check %s: %w: %s", chapter.ID, err, out)
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())

	var want, got []string
	for _, right := range c.Rights() {
		for _, what := range right.For {
			if strings.Contains(what, ".") && !strings.Contains(what, " ") {
				want = append(want, what)
			}
		}
	}
	for _, r := range judged {
		require.NotEmpty(t, r.Steps)
		for _, step := range r.Steps {
			if step.State == "not here" {
				require.Contains(t, step.Cause, "--provider embedded", step.Ref)
				got = append(got, step.Ref)
				continue
			}
			require.Equal(t, "done", step.State, "%s: %s", step.Ref, step.Seen)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, slices.Compact(want), got, "the steps that cannot be judged; course.yaml names them in needs")

	for name, objects := range before {
		s.nothingNew(t, name, objects)
		lease, err := s.api.CoordinationV1().Leases(name).Get(t.Context(), namespacelease.LeaseName, metav1.GetOptions{})
		require.NoError(t, err)
		holder := lease.Spec.HolderIdentity
		require.True(t, holder == nil || *holder == "", "namespace %s is still borrowed", name)
	}
}

// nothingNew wants the namespace to hold what it held before the checks. The
// garbage collector takes a moment for what a Deployment or a Service had made.
func (s *school) nothingNew(t *testing.T, namespace string, before []string) {
	t.Helper()
	var added []string
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) {
		added = slices.DeleteFunc(s.objects(t, namespace), func(name string) bool { return slices.Contains(before, name) })
		return len(added) == 0, nil
	})
	require.NoError(t, err, "the checks left in namespace %s: %v; a kind that they make must be in kinds() of "+
		"internal/cluster/namespacelease", namespace, added)
}

// objects lists all that is in a namespace, of whatever kind, without Events.
func (s *school) objects(t *testing.T, namespace string) []string {
	t.Helper()
	lists, err := s.api.Discovery().ServerPreferredNamespacedResources()
	require.NoError(t, err)
	client, err := metadata.NewForConfig(s.cfg)
	require.NoError(t, err)
	var names []string
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		require.NoError(t, err)
		for _, r := range list.APIResources {
			if r.Name == "events" || !slices.Contains(r.Verbs, "list") {
				continue
			}
			objects, err := client.Resource(gv.WithResource(r.Name)).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
			if apierrors.IsNotFound(err) {
				continue // a kind of another check that is gone by now
			}
			require.NoError(t, err)
			for _, object := range objects.Items {
				names = append(names, r.Kind+" "+object.Name)
			}
		}
	}
	return names
}

// report is what `check -o json` prints, as far as the test looks at it.
type report struct {
	Steps []struct {
		Ref, State, Seen, Cause string
	}
}

// TestNamespaceOfOthers has things in the namespace that are not the checks'.
func TestNamespaceOfOthers(t *testing.T) {
	s := newSchool(t)
	ctx := t.Context()
	kubeconfig := s.learner(t, "ana")
	configMap := func(name string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "mine"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	_, err := s.api.CoreV1().Services("ana").Create(ctx, service, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = s.api.CoreV1().ConfigMaps("ana").Create(ctx, configMap("before"), metav1.CreateOptions{})
	require.NoError(t, err)

	p, _, err := take(t, kubeconfig)
	require.ErrorIs(t, err, namespacelease.ErrNotEmpty)
	require.ErrorContains(t, err, "Service mine")
	require.NoFileExists(t, p.KubeconfigPath())
	require.ErrorIs(t, namespacelease.Borrow(ctx, s.cfg, "ana", "one"), namespacelease.ErrNotPrepared)
	_, err = s.api.CoreV1().Services("ana").Get(ctx, "mine", metav1.GetOptions{})
	require.NoError(t, err)

	require.NoError(t, s.api.CoreV1().Services("ana").Delete(ctx, "mine", metav1.DeleteOptions{}))
	p, _, err = take(t, kubeconfig)
	require.NoError(t, err)
	config, err := clientcmd.LoadFromFile(p.KubeconfigPath())
	require.NoError(t, err)
	require.Equal(t, "ana", config.Contexts[config.CurrentContext].Namespace)

	// One at a time; what was left is removed, what was there before stays.
	require.NoError(t, namespacelease.Borrow(ctx, s.cfg, "ana", "one"))
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	require.ErrorContains(t, namespacelease.Borrow(short, s.cfg, "ana", "two"), "another check is at work in namespace ana")
	held := configMap("held")
	held.Finalizers = []string{"workshop.example.com/hold"}
	_, err = s.api.CoreV1().ConfigMaps("ana").Create(ctx, held, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, namespacelease.Return(ctx, s.cfg, "ana", "two"), "the namespace is another's")
	_, err = s.api.CoreV1().ConfigMaps("ana").Get(ctx, "held", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, namespacelease.Return(ctx, s.cfg, "ana", "one"))
	_, err = s.api.CoreV1().ConfigMaps("ana").Get(ctx, "held", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	_, err = s.api.CoreV1().ConfigMaps("ana").Get(ctx, "before", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, namespacelease.Borrow(ctx, s.cfg, "ana", "two"))

	for _, shared := range []string{metav1.NamespaceDefault, "kube-node-lease", cluster.Namespace} {
		require.ErrorIs(t, namespacelease.Prepare(ctx, s.cfg, shared), namespacelease.ErrShared)
	}
}

// TestLeftBehind has what programs leave that are wrong, or killed.
func TestLeftBehind(t *testing.T) {
	s := newSchool(t)
	ctx := t.Context()
	_, _, err := take(t, s.learner(t, "ana"))
	require.NoError(t, err)
	require.NoError(t, namespacelease.Borrow(ctx, s.cfg, "ana", "one"))
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
	}
	_, err = s.api.CoreV1().ReplicationControllers("ana").Create(ctx, &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ReplicationControllerSpec{Template: &template},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	_, err = s.api.BatchV1().CronJobs("ana").Create(ctx, &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       batchv1.CronJobSpec{Schedule: "* * * * *", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = s.api.AutoscalingV2().HorizontalPodAutoscalers("ana").Create(ctx, &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 1,
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = s.api.CoreV1().Services("ana").Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "held", Finalizers: []string{"service.kubernetes.io/load-balancer-cleanup"}},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)

	// Another controller's finalizer is left to it for a while; the namespace is not.
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	require.ErrorContains(t, namespacelease.Return(short, s.cfg, "ana", "one"), "Service held stays")
	service, err := s.api.CoreV1().Services("ana").Get(ctx, "held", metav1.GetOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, service.Finalizers)
	require.NoError(t, namespacelease.Borrow(ctx, s.cfg, "ana", "two"))
	_, err = s.api.CoreV1().Services("ana").Get(ctx, "held", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	for path, api := range map[string]rest.Interface{
		"replicationcontrollers":   s.api.CoreV1().RESTClient(),
		"cronjobs":                 s.api.BatchV1().RESTClient(),
		"horizontalpodautoscalers": s.api.AutoscalingV2().RESTClient(),
	} {
		err := api.Get().Namespace("ana").Resource(path).Name("web").Do(ctx).Error()
		require.True(t, apierrors.IsNotFound(err), "%s: %v", path, err)
	}
}
