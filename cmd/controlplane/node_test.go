package main

import (
	"context"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// simulation is a node on a fake clientset.
type simulation struct {
	t      *testing.T
	client *fake.Clientset
	mu     sync.Mutex
	// removed are the pods whose end the node has confirmed.
	removed map[string]bool
}

// simulate starts the node; objects exist before it does.
func simulate(t *testing.T, objects ...runtime.Object) *simulation {
	t.Helper()
	s := &simulation{t: t, client: fake.NewClientset(objects...), removed: map[string]bool{}}
	s.client.PrependReactor("create", "pods", s.bind)
	s.client.PrependReactor("delete", "pods", s.remove)

	factory := informers.NewSharedInformerFactory(s.client, 0)
	machine, err := newNode(s.client, factory.Core().V1().Pods(), factory.Core().V1().Nodes())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		running.Wait()
		factory.Shutdown()
	})
	factory.Start(ctx.Done())
	running.Go(func() { machine.run(ctx) })
	if err := machine.register(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// bind does what the API server does with a binding.
func (s *simulation) bind(action clienttesting.Action) (bool, runtime.Object, error) {
	if action.GetSubresource() != "binding" {
		return false, nil, nil
	}
	binding := action.(clienttesting.CreateAction).GetObject().(*corev1.Binding)
	gvr := corev1.SchemeGroupVersion.WithResource("pods")
	obj, err := s.client.Tracker().Get(gvr, action.GetNamespace(), binding.Name)
	if err != nil {
		return true, nil, err
	}
	pod := obj.(*corev1.Pod).DeepCopy()
	pod.Spec.NodeName = binding.Target.Name
	return true, binding, s.client.Tracker().Update(gvr, pod, pod.Namespace)
}

func (s *simulation) remove(action clienttesting.Action) (bool, runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removed[action.(clienttesting.DeleteAction).GetName()] = true
	return false, nil, nil
}

func (s *simulation) gone(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removed[name]
}

// eventually waits until a pod fulfils a condition.
func (s *simulation) eventually(name, what string, holds func(*corev1.Pod) bool) {
	s.t.Helper()
	var last *corev1.Pod
	err := wait.PollUntilContextTimeout(s.t.Context(), 10*time.Millisecond, 10*time.Second, true, func(ctx context.Context) (bool, error) {
		pod, err := s.client.CoreV1().Pods("ns").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = pod
		return holds(pod), nil
	})
	if err != nil {
		s.t.Fatalf("pod %s is not %s: %v: %+v", name, what, err, last)
	}
}

func (s *simulation) phase(name string, want corev1.PodPhase) {
	s.t.Helper()
	s.eventually(name, string(want), func(p *corev1.Pod) bool { return p.Status.Phase == want })
}

func pod(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-" + name)},
		Spec: corev1.PodSpec{
			SchedulerName: corev1.DefaultSchedulerName,
			RestartPolicy: corev1.RestartPolicyAlways,
			Containers:    []corev1.Container{{Name: "main", Image: "image"}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

func on(node string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeName = node }
}

func deleted(p *corev1.Pod) {
	now := metav1.Now()
	grace := int64(30)
	p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &now, &grace
}

func ownedByJob(p *corev1.Pod) {
	yes := true
	p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "job", UID: "job", Controller: &yes}}
	p.Spec.RestartPolicy = corev1.RestartPolicyNever
}

func TestPodRuns(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	s := simulate(t, pod("web", func(p *corev1.Pod) {
		p.Spec.InitContainers = []corev1.Container{{Name: "setup"}, {Name: "sidecar", RestartPolicy: &always}}
	}))
	s.phase("web", corev1.PodRunning)
	s.eventually("web", "complete", func(p *corev1.Pod) bool {
		conditions := map[corev1.PodConditionType]corev1.ConditionStatus{}
		for _, c := range p.Status.Conditions {
			conditions[c.Type] = c.Status
		}
		return p.Spec.NodeName == nodeName && p.Status.PodIP != "" && p.Status.HostIP == nodeIP && p.Status.StartTime != nil &&
			conditions[corev1.PodReady] == corev1.ConditionTrue && conditions[corev1.ContainersReady] == corev1.ConditionTrue &&
			len(p.Status.ContainerStatuses) == 1 && p.Status.ContainerStatuses[0].State.Running != nil &&
			p.Status.InitContainerStatuses[0].State.Terminated != nil && p.Status.InitContainerStatuses[1].State.Running != nil
	})
}

func TestReadinessGateKeepsPodUnready(t *testing.T) {
	s := simulate(t, pod("gated", func(p *corev1.Pod) {
		p.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "example.com/gate"}}
	}))
	s.phase("gated", corev1.PodRunning)
	s.eventually("gated", "unready", func(p *corev1.Pod) bool {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodReady {
				return c.Status == corev1.ConditionFalse
			}
		}
		return false
	})
}

func TestJobPodSucceeds(t *testing.T) {
	s := simulate(t, pod("work", ownedByJob))
	s.phase("work", corev1.PodRunning)
	s.phase("work", corev1.PodSucceeded)
	s.eventually("work", "exited", func(p *corev1.Pod) bool {
		end := p.Status.ContainerStatuses[0].State.Terminated
		return end != nil && end.ExitCode == 0
	})
}

func TestDeletedPodEnds(t *testing.T) {
	running := func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }
	held := func(p *corev1.Pod) { p.Finalizers = []string{"example.com/held"} }
	s := simulate(t,
		pod("plain", on(nodeName), running, deleted),
		pod("held", on(nodeName), running, deleted, held),
		pod("orphan", on("no-such-node"), deleted),
	)
	for _, name := range []string{"plain", "held", "orphan"} {
		err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 10*time.Second, true,
			func(context.Context) (bool, error) { return s.gone(name), nil })
		if err != nil {
			t.Errorf("the end of pod %s was not confirmed", name)
		}
	}
	failed := false
	for _, action := range s.client.Actions() {
		if update, ok := action.(clienttesting.UpdateAction); ok && action.GetSubresource() == "status" {
			if p, ok := update.GetObject().(*corev1.Pod); ok && p.Name == "held" {
				failed = p.Status.Phase == corev1.PodFailed
			}
		}
	}
	if !failed {
		t.Error("a pod that a finalizer holds was removed before it had reached its last phase")
	}
}

func TestForeignPodsAreLeftAlone(t *testing.T) {
	other := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	s := simulate(t, other,
		pod("elsewhere", on("other")),
		pod("leaving", on("other"), deleted),
		pod("nowhere", on("no-such-node")),
		pod("custom", func(p *corev1.Pod) { p.Spec.SchedulerName = "my-scheduler" }),
		pod("gated", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/gate"}} }),
		pod("marker"),
	)
	s.phase("marker", corev1.PodRunning)
	time.Sleep(2 * stopDelay)
	for _, action := range s.client.Actions() {
		if action.GetVerb() == "get" || action.GetVerb() == "list" || action.GetVerb() == "watch" || action.GetResource().Resource != "pods" {
			continue
		}
		if name := target(action); name != "marker" {
			t.Errorf("%s of foreign pod %s", action.GetVerb(), name)
		}
	}
}

// target is the name of the pod that an action changes.
func target(action clienttesting.Action) string {
	switch a := action.(type) {
	case clienttesting.CreateAction:
		if o, ok := a.GetObject().(metav1.Object); ok {
			return o.GetName()
		}
	case clienttesting.DeleteAction:
		return a.GetName()
	}
	return ""
}

func TestUnschedulablePodGetsAnotherChance(t *testing.T) {
	s := simulate(t, pod("picky", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "fast"} }))
	s.eventually("picky", "unschedulable", func(p *corev1.Pod) bool {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled {
				return c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable && c.Message != ""
			}
		}
		return false
	})
	node, err := s.client.CoreV1().Nodes().Get(t.Context(), nodeName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	node.Labels["disk"] = "fast"
	if _, err := s.client.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.phase("picky", corev1.PodRunning)
}

func TestMisfit(t *testing.T) {
	cordoned := nodeObject()
	cordoned.Spec.Unschedulable = true
	tainted := nodeObject()
	tainted.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule}}
	preferred := nodeObject()
	preferred.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectPreferNoSchedule}}
	tolerant := pod("tolerant", func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	})
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		node *corev1.Node
		fits bool
	}{
		"plain":            {pod("p"), nodeObject(), true},
		"cordoned":         {pod("p"), cordoned, false},
		"tainted":          {pod("p"), tainted, false},
		"tolerated":        {tolerant, tainted, true},
		"preferred taint":  {pod("p"), preferred, true},
		"missing selector": {pod("p", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"a": "b"} }), nodeObject(), false},
	} {
		if reason := misfit(test.pod, test.node); (reason == "") != test.fits {
			t.Errorf("%s: got reason %q, want fits=%t", name, reason, test.fits)
		}
	}
}

func TestIPPool(t *testing.T) {
	pool, err := newIPPool("10.0.0.0/29")
	if err != nil {
		t.Fatal(err)
	}
	pool.reserve("10.0.0.3")
	pool.reserve("192.168.0.1")
	seen := map[string]bool{"10.0.0.3": true}
	var last string
	for range 5 {
		ip, err := pool.take()
		if err != nil {
			t.Fatal(err)
		}
		if seen[ip] || ip == "10.0.0.0" || ip == "10.0.0.1" {
			t.Errorf("address %s handed out although it is not free", ip)
		}
		seen[ip], last = true, ip
	}
	if ip, err := pool.take(); err == nil {
		t.Errorf("got address %s from an empty pool", ip)
	}
	pool.free(last)
	if ip, err := pool.take(); err != nil || ip != last {
		t.Errorf("got %s (%v), want the freed address %s", ip, err, last)
	}
}
