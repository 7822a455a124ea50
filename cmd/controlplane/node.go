package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const (
	// nodeName is the one node. Its addresses are of a range that is reserved
	// for documentation: nothing answers there.
	nodeName = "workshop-node"
	nodeIP   = "192.0.2.10"
	podCIDR  = "10.244.0.0/16"
	// startDelay keeps a pod Pending long enough for a watcher to see it.
	startDelay = 400 * time.Millisecond
	// stopDelay keeps a deleted pod Terminating long enough for a watcher.
	stopDelay = 500 * time.Millisecond
	// jobDuration is how long the pod of a Job runs before it succeeds.
	jobDuration = 1500 * time.Millisecond
	// nodeWorkers bounds the requests under way at a time.
	nodeWorkers = 16
)

// node is a simulated machine. It schedules pods to itself, reports them as
// Running and Ready and ends them when they are deleted; the pods of Jobs
// succeed by themselves. Nothing is executed: there are no images, logs, exec,
// probes, hooks, volumes or network, requests are not counted against the
// capacity, and a grace period is not used up. Pods on other nodes are left
// alone, except that a deleted one whose node does not exist is let go.
type node struct {
	client kubernetes.Interface
	pods   corelisters.PodLister
	nodes  corelisters.NodeLister
	synced []cache.InformerSynced
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]
	ips    *ipPool
	now    func() time.Time
}

// newNode prepares the node on shared informers; run starts it.
func newNode(client kubernetes.Interface, pods coreinformers.PodInformer, nodes coreinformers.NodeInformer) (*node, error) {
	ips, err := newIPPool(podCIDR)
	if err != nil {
		return nil, err
	}
	n := &node{
		client: client,
		pods:   pods.Lister(),
		nodes:  nodes.Lister(),
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(
			workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName](),
			workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "node"},
		),
		ips: ips,
		now: time.Now,
	}
	podEvents, err := pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { n.enqueue(obj) },
		UpdateFunc: func(_, obj any) { n.enqueue(obj) },
		DeleteFunc: func(obj any) { n.forget(obj) },
	})
	if err != nil {
		return nil, fmt.Errorf("watch pods: %w", err)
	}
	nodeEvents, err := nodes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { n.enqueueUnscheduled() },
		UpdateFunc: func(any, any) { n.enqueueUnscheduled() },
	})
	if err != nil {
		return nil, fmt.Errorf("watch nodes: %w", err)
	}
	n.synced = []cache.InformerSynced{podEvents.HasSynced, nodeEvents.HasSynced}
	return n, nil
}

// run simulates the node until ctx ends.
func (n *node) run(ctx context.Context) {
	defer n.queue.ShutDown()
	if !cache.WaitForNamedCacheSyncWithContext(ctx, n.synced...) {
		return
	}
	for range nodeWorkers {
		go wait.UntilWithContext(ctx, n.work, time.Second)
	}
	<-ctx.Done()
}

// register makes the node known and Ready. Taints and the like that a learner
// put on it survive a restart. A node that is Ready from an earlier start is
// left as it is, because the API server holds back every write for about
// a second after its start.
func (n *node) register(ctx context.Context) error {
	nodes := n.client.CoreV1().Nodes()
	current, err := nodes.Get(ctx, nodeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		current, err = nodes.Create(ctx, nodeObject(), metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("register node %s: %w", nodeName, err)
	}
	if nodeReady(current) {
		return nil
	}
	current.Status = nodeStatus(current.Status, metav1.NewTime(n.now()))
	if _, err := nodes.UpdateStatus(ctx, current, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("report node %s ready: %w", nodeName, err)
	}
	return nil
}

// enqueue plans the next step of a pod. A pod that is already planned keeps its
// earlier time.
func (n *node) enqueue(obj any) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	if pod.Spec.NodeName == nodeName {
		n.ips.reserve(pod.Status.PodIP)
	}
	n.queue.AddAfter(cache.MetaObjectToName(pod), delay(pod))
}

// delay is how long a pod stays in the state that it is in.
func delay(pod *corev1.Pod) time.Duration {
	switch {
	case pod.DeletionTimestamp != nil:
		return stopDelay
	case pod.Spec.NodeName == "":
		return 0
	case pod.Status.Phase == corev1.PodPending:
		return startDelay
	case completes(pod):
		return jobDuration
	default:
		return 0
	}
}

// enqueueUnscheduled gives pods that did not fit another chance.
func (n *node) enqueueUnscheduled() {
	pods, err := n.pods.List(labels.Everything())
	if err != nil {
		klog.ErrorS(err, "Listing pods failed")
		return
	}
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			n.queue.Add(cache.MetaObjectToName(pod))
		}
	}
}

// forget frees the address of a pod that is gone.
func (n *node) forget(obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	if pod, ok := obj.(*corev1.Pod); ok && pod.Spec.NodeName == nodeName {
		n.ips.free(pod.Status.PodIP)
	}
}

// work handles pods until the queue is shut down.
func (n *node) work(ctx context.Context) {
	for {
		key, quit := n.queue.Get()
		if quit {
			return
		}
		if err := n.sync(ctx, key); err != nil {
			klog.V(1).InfoS("Pod will be tried again", "pod", key, "err", err)
			n.queue.AddRateLimited(key)
		} else {
			n.queue.Forget(key)
		}
		n.queue.Done(key)
	}
}

// sync takes a pod one step further.
func (n *node) sync(ctx context.Context, key cache.ObjectName) error {
	pod, err := n.pods.Pods(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up pod %s: %w", key, err)
	}
	switch {
	case pod.Spec.NodeName == "":
		err = n.schedule(ctx, pod)
	case pod.Spec.NodeName != nodeName:
		err = n.releaseOrphan(ctx, pod)
	case pod.DeletionTimestamp != nil:
		err = n.terminate(ctx, pod)
	case pod.Status.Phase == corev1.PodPending:
		err = n.updateStatus(ctx, pod, runningStatus)
	case pod.Status.Phase == corev1.PodRunning && completes(pod):
		err = n.updateStatus(ctx, pod, succeededStatus)
	}
	// A conflict or a missing pod means that a newer event is on its way.
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// terminate ends a deleted pod. One that a finalizer holds back must first
// reach an end, since its Job looks at the phase before it lets go.
func (n *node) terminate(ctx context.Context, pod *corev1.Pod) error {
	if len(pod.Finalizers) > 0 && !ended(pod) {
		if err := n.updateStatus(ctx, pod, failedStatus); err != nil {
			return err
		}
	}
	return n.remove(ctx, pod)
}

// releaseOrphan does for a deleted pod what the pod garbage collector does: when
// its node does not exist, nobody else will ever confirm its end.
func (n *node) releaseOrphan(ctx context.Context, pod *corev1.Pod) error {
	if pod.DeletionTimestamp == nil {
		return nil
	}
	_, err := n.nodes.Get(pod.Spec.NodeName)
	if err == nil {
		return nil
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("look up node %s: %w", pod.Spec.NodeName, err)
	}
	return n.remove(ctx, pod)
}

// remove confirms the end of exactly this pod, not of a namesake.
func (n *node) remove(ctx context.Context, pod *corev1.Pod) error {
	// Grace period 0 has been confirmed before; only finalizers are left.
	if pod.DeletionGracePeriodSeconds != nil && *pod.DeletionGracePeriodSeconds == 0 && len(pod.Finalizers) > 0 {
		return nil
	}
	now := *metav1.NewDeleteOptions(0)
	now.Preconditions = metav1.NewUIDPreconditions(string(pod.UID))
	if err := n.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, now); err != nil {
		return fmt.Errorf("remove pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

// updateStatus reports a new status of a pod, derived from the cached one.
func (n *node) updateStatus(ctx context.Context, pod *corev1.Pod, change func(*corev1.Pod, string, metav1.Time)) error {
	ip := pod.Status.PodIP
	switch {
	case ip != "":
	case pod.Spec.HostNetwork:
		ip = nodeIP
	default:
		var err error
		if ip, err = n.ips.take(); err != nil {
			return fmt.Errorf("give pod %s/%s an address: %w", pod.Namespace, pod.Name, err)
		}
	}
	changed := pod.DeepCopy()
	change(changed, ip, metav1.NewTime(n.now()))
	_, err := n.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	if err != nil {
		if pod.Status.PodIP == "" {
			n.ips.free(ip)
		}
		return fmt.Errorf("report pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}
