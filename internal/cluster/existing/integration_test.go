//go:build unix

package existing

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
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/embedded"
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
	if os.Getenv("WORKSHOP_CLUSTER_TESTS") == "" {
		t.Skip("set WORKSHOP_CLUSTER_TESTS=1 to run the tests with the real control plane")
	}
	p, err := embedded.New(embedded.Options{StateDir: filepath.Join(t.TempDir(), "school")})
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := p.Down(context.Background(), true); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	require.NoError(t, p.Up(t.Context(), cluster.Quiet{}))
	cfg, err := cluster.LoadFile(p.KubeconfigPath())
	require.NoError(t, err)
	cfg.QPS = -1
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
	_, err = s.api.CoreV1().ServiceAccounts(name).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	s.bind(t, name, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"},
		rbacv1.Subject{Kind: "ServiceAccount", Namespace: name, Name: name})
	token, err := s.api.CoreV1().ServiceAccounts(name).CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	kubeconfig = filepath.Join(t.TempDir(), "config")
	require.NoError(t, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:  map[string]*clientcmdapi.Cluster{"school": {Server: s.cfg.Host, CertificateAuthority: s.cfg.CAFile, CertificateAuthorityData: s.cfg.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{name: {Token: token.Status.Token}},
		Contexts:  map[string]*clientcmdapi.Context{"class": {Cluster: "school", AuthInfo: name, Namespace: name}},
	}, kubeconfig))
	return kubeconfig
}

// take runs `up --provider existing --context class --yes` for a learner.
func take(t *testing.T, kubeconfig string) (*Provider, error) {
	t.Helper()
	t.Setenv(cluster.KubeconfigEnv, kubeconfig)
	p, err := New(Options{StateDir: t.TempDir(), Context: "class", Confirm: func(string) (bool, error) { return true, nil }})
	require.NoError(t, err)
	return p, p.Up(t.Context(), cluster.Quiet{})
}

// TestOneNamespace judges the solution of every chapter as a learner who may work
// in one namespace. The steps that cannot run are those that rights names, all
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
	group, ctx := errgroup.WithContext(t.Context())
	for i, chapter := range c.Chapters {
		p, err := take(t, s.learner(t, "learner-"+chapter.ID[:2]))
		require.NoError(t, err)
		group.Go(func() error {
			cmd := exec.CommandContext(ctx, workshop, "check", chapter.ID, "--solution", "-o", "json")
			cmd.Dir = root
			cmd.Env = append(os.Environ(), cluster.KubeconfigEnv+"=", cluster.StateDirEnv+"="+p.options.StateDir)
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
	require.Equal(t, slices.Compact(want), got)

	for _, chapter := range c.Chapters {
		ns := "learner-" + chapter.ID[:2]
		pods, err := s.api.CoreV1().Pods(ns).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Empty(t, pods.Items)
		deployments, err := s.api.AppsV1().Deployments(ns).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Empty(t, deployments.Items)
		leases, err := s.api.CoordinationV1().Leases(ns).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, leases.Items, 1)
		holder := leases.Items[0].Spec.HolderIdentity
		require.True(t, holder == nil || *holder == "", "namespace %s is still borrowed", ns)
	}
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

	p, err := take(t, kubeconfig)
	require.ErrorIs(t, err, namespacelease.ErrNotEmpty)
	require.ErrorContains(t, err, "Service mine")
	require.NoFileExists(t, p.KubeconfigPath())
	require.ErrorIs(t, namespacelease.Borrow(ctx, s.cfg, "ana", "one"), namespacelease.ErrNotPrepared)
	_, err = s.api.CoreV1().Services("ana").Get(ctx, "mine", metav1.GetOptions{})
	require.NoError(t, err)

	require.NoError(t, s.api.CoreV1().Services("ana").Delete(ctx, "mine", metav1.DeleteOptions{}))
	p, err = take(t, kubeconfig)
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
	_, err := take(t, s.learner(t, "ana"))
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
		Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 1, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}},
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
		"replicationcontrollers": s.api.CoreV1().RESTClient(), "cronjobs": s.api.BatchV1().RESTClient(), "horizontalpodautoscalers": s.api.AutoscalingV2().RESTClient(),
	} {
		err := api.Get().Namespace("ana").Resource(path).Name("web").Do(ctx).Error()
		require.True(t, apierrors.IsNotFound(err), "%s: %v", path, err)
	}
}
