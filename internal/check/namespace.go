package check

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/cluster/access"
	"example.com/client-go-workshop/internal/cluster/namespacelease"
	"example.com/client-go-workshop/internal/stepresult"
)

const (
	// runLabel marks the namespaces of one judgement.
	runLabel = namespacelease.MadeByCheck
	// staleAfter is the age at which a namespace that a killed check left behind is removed.
	staleAfter = 15 * time.Minute
	// NoScheduler is a scheduler that does not exist: a pod that names it stays Pending.
	NoScheduler = "workshop-none"
)

// Config is for the check's own requests: the workshop's cluster, verified,
// without a client-side rate limit. The learner's code gets it through a Recorder.
func (s *S) Config() *rest.Config {
	cfg := rest.CopyConfig(s.cfg)
	cfg.QPS = -1
	return cfg
}

// Clientset is for the check's own requests.
func (s *S) Clientset() kubernetes.Interface {
	client, err := kubernetes.NewForConfig(s.Config())
	s.Setup(err, "build a clientset")
	return client
}

// Namespace makes a namespace that is removed when the step is judged. For a user
// who may not make any it is the borrowed one, emptied.
func (s *S) Namespace() string {
	ns, err := newNamespace(s.ctx, s.Clientset(), s.run)
	if apierrors.IsForbidden(err) {
		return s.borrow(err)
	}
	s.Setup(err, "create a namespace")
	return ns
}

func (s *S) borrow(forbidden error) string {
	if s.borrowed != "" {
		s.lacks("the check of this step works in two namespaces, and you may not make any on this cluster")
	}
	ns, err := cluster.DefaultNamespace()
	s.Setup(err, "find your namespace")
	if ns == "" {
		s.finish(stepresult.NotRun, fmt.Sprintf("the check could not make a namespace: %v\nand your kubeconfig's context names none to work in",
			forbidden), giveCause, "")
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), namespacelease.Patience)
	defer cancel()
	err = namespacelease.Borrow(ctx, s.Config(), ns, s.run)
	s.restart()
	if errors.Is(err, namespacelease.ErrNotPrepared) {
		s.finish(stepresult.NotRun, fmt.Sprintf("the check could not make a namespace: %v\nand namespace %q of your kubeconfig's context was "+
			"not given to the checks", forbidden, ns),
			giveCause, "")
	}
	s.Setup(err, "borrow namespace "+ns)
	s.borrowed = ns
	return ns
}

// Needs ends the judgement when the user lacks a right that the step itself uses:
// on a shared cluster that is no fault of the learner's code.
func (s *S) Needs(right authorizationv1.ResourceAttributes) {
	may, err := access.May(s.ctx, s.Config(), right)
	s.Setup(err, "find out your rights")
	if !may {
		s.lacks("you may not " + access.Words(right) + " on this cluster, and the step does")
	}
}

// giveCause is said where a check has no namespace to work in.
const giveCause = "this is not a fault of your code; to give a namespace to the checks, name it in that context and run: go tool " +
	"workshop up --provider existing --context NAME"

// lacks ends the judgement of a step that the user has not the rights for.
func (s *S) lacks(seen string) {
	s.finish(stepresult.NotHere, seen,
		"this is not a fault of your code: your user lacks a right; the step can be judged on a cluster of your own: go tool workshop up "+
			"--provider embedded", "")
}

// refusedCause is said where the server accepts no pod of a check.
const refusedCause = "this is not a fault of your code: the namespace's quota, limits or pod security level refuse the checks' pods; " +
	"ask its owner, or use a cluster of your own: go tool workshop up --provider embedded"

// refusal is why the borrowed namespace takes no pod such as the checks make, or
// nil. Its owner may have set a quota, or a pod security level, that forbids it.
func (s *S) refusal() error {
	if s.borrowed == "" {
		return nil
	}
	client, err := kubernetes.NewForConfig(s.Config())
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 5*time.Second)
	defer cancel()
	_, err = client.CoreV1().Pods(s.borrowed).Create(ctx, PendingPod("trial", nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if apierrors.IsForbidden(err) {
		return err
	}
	return nil
}

// Labels mark an object as the check's own. A check needs them in a namespace on
// objects of kinds that a namespace's owner puts there: quotas, roles, bindings.
func (s *S) Labels() map[string]string { return map[string]string{runLabel: s.run} }

// newNamespace waits for the namespace's ServiceAccount: a pod is refused before it exists.
func newNamespace(ctx context.Context, client kubernetes.Interface, run string) (string, error) {
	ns, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "check-",
		Labels:       map[string]string{runLabel: run},
	}}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("create a namespace: %w", err)
	}
	err = wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().ServiceAccounts(ns.Name).Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return "", fmt.Errorf("wait for serviceaccount %s/default: %w", ns.Name, err)
	}
	return ns.Name, nil
}

// sweep removes the namespaces and the cluster-scoped objects of this judgement
// and those that killed checks left. It runs in the parent, so that a step that ends its process leaves nothing.
func sweep(t *testing.T, run string) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	cfg, err := cluster.Config(ctx)
	if err != nil {
		return // no cluster, so nothing to remove; the verdict says so
	}
	cfg.QPS = -1
	logError(t, sweepCluster(ctx, cfg, run))
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Logf("clean up: %v", err)
		return
	}
	list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: runLabel})
	if apierrors.IsForbidden(err) {
		logError(t, giveBack(ctx, cfg, run))
		return
	}
	if err != nil {
		t.Logf("clean up: list namespaces: %v", err)
		return
	}
	for _, ns := range list.Items {
		if ns.DeletionTimestamp != nil && ns.Labels[runLabel] != run {
			continue
		}
		if ns.Labels[runLabel] == run || time.Since(ns.CreationTimestamp.Time) > staleAfter {
			if err := removeNamespace(ctx, client, ns.Name); err != nil {
				t.Logf("clean up: %v", err)
			}
		}
	}
}

// giveBack returns the namespace that this judgement borrowed.
func giveBack(ctx context.Context, cfg *rest.Config, run string) error {
	ns, err := cluster.DefaultNamespace()
	if err != nil {
		return err
	}
	err = namespacelease.Return(ctx, cfg, ns, run)
	if errors.Is(err, namespacelease.ErrNotPrepared) {
		return nil // so it was not borrowed
	}
	return err
}

// removeNamespace also lets go of pods that a check held with a finalizer.
func removeNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	pods, err := client.CoreV1().Pods(name).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list pods in %s: %w", name, err)
	}
	for _, pod := range pods.Items {
		if len(pod.Finalizers) == 0 {
			continue
		}
		_, err := client.CoreV1().Pods(name).Patch(ctx, pod.Name, types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("release pod %s/%s: %w", name, pod.Name, err)
		}
	}
	err = client.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete namespace %s: %w", name, err)
	}
	return nil
}

// FactConfig is the workshop's cluster for a TestFact, or the end of that test.
func FactConfig(t *testing.T) *rest.Config {
	t.Helper()
	cfg, err := cluster.Config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cfg.QPS = -1
	return cfg
}

// FactNamespace makes a namespace that is removed when the test ends.
func FactNamespace(t *testing.T) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(FactConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	ns, err := newNamespace(t.Context(), client, "fact")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
		defer cancel()
		if err := removeNamespace(ctx, client, ns); err != nil {
			t.Errorf("clean up: %v", err)
		}
	})
	return ns
}

// PendingPod is a pod with one container that no scheduler binds, so that only
// the check and the learner's code write to it.
func PendingPod(name string, labels map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: corev1.PodSpec{
			SchedulerName: NoScheduler,
			Containers:    []corev1.Container{{Name: "web", Image: "registry.k8s.io/pause:3.10"}},
		},
	}
}

// CreatePod creates pod as part of the check's preparation. It returns once the
// API server's watch cache has the pod, too: a list with resourceVersion=0, with
// which an informer may start, is answered from there and can be a moment old.
func (s *S) CreatePod(namespace string, pod *corev1.Pod) *corev1.Pod {
	pods := s.Clientset().CoreV1().Pods(namespace)
	created, err := pods.Create(s.ctx, pod, metav1.CreateOptions{})
	s.Setup(err, "create pod "+pod.Name)
	_, err = pods.Get(s.ctx, created.Name, metav1.GetOptions{ResourceVersion: created.ResourceVersion})
	s.Setup(err, "see pod "+pod.Name+" in the watch cache")
	return created
}
