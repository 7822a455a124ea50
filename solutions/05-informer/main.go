// Chapter 05: keep a live copy of the pods of one namespace with an informer,
// hear of every change, and work it off through a queue.
//
// Run it from the top of the repository: go run ./05-informer
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"

	"example.com/client-go-workshop/internal/cluster"
	"example.com/client-go-workshop/internal/todo"
)

// Step 1: make a factory for one namespace.
//
// Return a SharedInformerFactory, made by
// informers.NewSharedInformerFactoryWithOptions, whose informers
//
//   - watch the one namespace only;
//   - have the default resync period resync (0 means none);
//   - pass each object through a transform that removes
//     metadata.managedFields and leaves everything else as it is, before the
//     object is kept or a handler sees it.
//
// The transform gets objects of every kind that the factory's user asks for,
// not only pods. What has no metadata, such as a
// cache.DeletedFinalStateUnknown, it returns unchanged.
//
// An empty namespace would mean all namespaces: return an error. No request is
// made, and no informer is asked for or started yet.
func NewFactory(client kubernetes.Interface, namespace string, resync time.Duration) (informers.SharedInformerFactory, error) {
	if namespace == "" {
		return nil, errors.New("make an informer factory: the namespace is empty")
	}
	strip := func(obj any) (any, error) {
		if object, err := meta.Accessor(obj); err == nil {
			object.SetManagedFields(nil)
		}
		return obj, nil
	}
	return informers.NewSharedInformerFactoryWithOptions(client, resync,
		informers.WithNamespace(namespace),
		informers.WithTransform(strip),
	), nil
}

// Step 2: print a line for each event.
//
// Register a typed handler for pods (TypedInformer, AddTypedEventHandler) that
// writes one line to w for each event, STATUS being what podStatus says:
//
//	added NAMESPACE/NAME STATUS
//	updated NAMESPACE/NAME STATUS      with the new status
//	deleted NAMESPACE/NAME
//	deleted NAMESPACE/NAME missed      when the informer did not see the deletion itself
//
// After a gap in the watch, the informer finds out from a new list that a pod
// is gone. It then has an old state of it, or none, and says so:
// DeletedObject.FinalStateUnknown is not nil, and DeletedObject.OptionalObj
// may be.
//
// Return the registration, with which the caller can wait for the handler and
// remove it. No request is made, nothing is started.
func PrintPods(pods coreinformers.TypedPodInformer, w io.Writer) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := pods.TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{
		AddFunc: func(pod *corev1.Pod) {
			fmt.Fprintf(w, "added %s %s\n", cache.MetaObjectToName(pod), podStatus(pod))
		},
		UpdateFunc: func(_, pod *corev1.Pod) {
			fmt.Fprintf(w, "updated %s %s\n", cache.MetaObjectToName(pod), podStatus(pod))
		},
		DeleteFunc: func(pod coreinformers.DeletedPod) {
			if pod.FinalStateUnknown != nil {
				fmt.Fprintf(w, "deleted %s missed\n", pod.GetKey())
				return
			}
			fmt.Fprintf(w, "deleted %s\n", pod.GetKey())
		},
	})
	if err != nil {
		return nil, fmt.Errorf("add the printing handler: %w", err)
	}
	return registration, nil
}

// Step 3: start, and wait until everything is in sync.
//
// Ask the factory for its pod informer (nobody may have done so before), start
// the factory's informers, and return nil when
//
//   - the informer's cache holds the first full list, and
//   - each of the handlers has been given all of that list.
//
// The second comes later than the first. The informers go on after you have
// returned, until ctx ends.
//
// Wait no longer than timeout. A list that the server refuses is tried again
// and again without a word to you; SetWatchErrorHandlerWithContext, before the
// start, lets you hear of it. So an error says why:
//
//   - it wraps the last error that the informer met, if it met one, so that
//     apierrors.IsForbidden and its like work;
//   - else, or as well, it wraps the context's: context.DeadlineExceeded when
//     timeout is over, ctx's own when ctx has ended.
//
// One error that goes away again, within timeout, is none.
func StartPods(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	var mu sync.Mutex
	var lastErr error
	informer := factory.Core().V1().Pods().Informer()
	err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		mu.Lock()
		lastErr = err
		mu.Unlock()
		cache.DefaultWatchErrorHandler(ctx, r, err)
	})
	if err != nil {
		return fmt.Errorf("set the watch error handler of the pod informer: %w", err)
	}
	factory.StartWithContext(ctx)

	// The informers keep ctx; only the wait has a deadline.
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := factory.WaitForCacheSyncWithContext(deadline).AsError(); err != nil {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Errorf("wait for the pod cache: %w", errors.Join(lastErr, err))
	}
	for _, handler := range handlers {
		if checker := handler.HasSyncedChecker(); !cache.WaitFor(deadline, "", checker) {
			return fmt.Errorf("the cache is in sync, and a handler has not seen all of it (%s): %w", checker.Name(), context.Cause(deadline))
		}
	}
	return nil
}

// Step 4: read from the cache.
//
// Return the pods of the lister that match the label selector ("" matches all),
// sorted by name. A selector that cannot be parsed is an error.
//
// The objects in the cache are shared: the informer, its handlers and every
// reader have the same pointers. The caller may change what you return, so
// return copies. No request is made.
func ReadPods(pods corelisters.PodNamespaceLister, selector string) ([]*corev1.Pod, error) {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return nil, fmt.Errorf("parse the selector %q: %w", selector, err)
	}
	cached, err := pods.List(parsed)
	if err != nil {
		return nil, fmt.Errorf("list pods from the cache: %w", err)
	}
	copies := make([]*corev1.Pod, 0, len(cached))
	for _, pod := range cached {
		copies = append(copies, pod.DeepCopy())
	}
	slices.SortFunc(copies, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return copies, nil
}

// Step 5: hand the key to a queue.
//
// Return a handler that adds the pod's key (namespace and name) to the queue on
// each event, and does nothing else: the work is for those who take the key
// out. What happened is not in the queue; who takes the key out looks at the
// cache.
//
// The key of a deleted pod is known even where the pod itself is not. A nil
// queue is an error.
func KeyHandler(queue workqueue.TypedInterface[cache.ObjectName]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	if queue == nil {
		return nil, errors.New("hand keys to a queue: there is no queue")
	}
	return coreinformers.PodHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod) { queue.Add(cache.MetaObjectToName(pod)) },
		UpdateFunc: func(_, pod *corev1.Pod) { queue.Add(cache.MetaObjectToName(pod)) },
		DeleteFunc: func(pod coreinformers.DeletedPod) { queue.Add(pod.GetObjectName()) },
	}, nil
}

// Step 6: tell a change from a resync, and a new pod from an update.
//
// Return a handler that passes news on to next, and nothing else:
//
//   - an add and a delete go on as they are;
//   - an update whose two objects have the same resourceVersion changed
//     nothing: it is a resync, or a new list of what was known. Drop it;
//   - an update whose two objects have different UIDs is two pods: the first
//     was deleted and another one of the same name was created while nobody
//     looked. next gets OnDelete for the old one, then OnAdd for the new one,
//     which is not part of the initial list. The last state of the old one
//     is not known, so set OptionalObj and FinalStateUnknown (key and object);
//   - any other update goes on as it is.
//
// A nil next is an error.
func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) (cache.TypedResourceEventHandler[*corev1.Pod], error) {
	if next == nil {
		return nil, errors.New("pass on changes: there is no handler to pass them to")
	}
	return coreinformers.PodDetailedHandlerFuncs{
		AddFunc:    next.OnAdd,
		DeleteFunc: next.OnDelete,
		UpdateFunc: func(oldPod, newPod *corev1.Pod) {
			switch {
			case oldPod.ResourceVersion == newPod.ResourceVersion:
			case oldPod.UID != newPod.UID:
				next.OnDelete(coreinformers.DeletedPod{
					OptionalObj: oldPod,
					FinalStateUnknown: &cache.DeletedFinalStateUnknown{
						Key: cache.MetaObjectToName(oldPod).String(),
						Obj: oldPod,
					},
				})
				next.OnAdd(newPod, false)
			default:
				next.OnUpdate(oldPod, newPod)
			}
		},
	}, nil
}

// Step 7: work the queue off.
//
// Run as many workers as workers says, side by side. Each takes a key (Get),
// calls handle with it, and then, in any case, tells the queue that it is done
// with the key (Done): until then the queue gives this key to nobody else.
//
//   - When handle returns nil, the queue forgets the key's failures (Forget).
//   - When handle returns an error, the key comes back later, each time a
//     little later (AddRateLimited). The worker goes on with other keys.
//
// When ctx ends, shut the queue down and return nil once every worker has
// returned, that is once no call of handle runs any more. handle gets ctx. Keys
// that are still waiting in the queue by then may be left.
//
// Fewer than one worker is an error.
func RunWorkers(ctx context.Context, queue workqueue.TypedRateLimitingInterface[cache.ObjectName], workers int, handle func(context.Context, cache.ObjectName) error) error {
	if workers < 1 {
		return fmt.Errorf("run workers: %d is too few", workers)
	}
	next := func() bool {
		key, shutdown := queue.Get()
		if shutdown {
			return false
		}
		defer queue.Done(key)
		if ctx.Err() != nil {
			return false
		}
		if err := handle(ctx, key); err != nil {
			queue.AddRateLimited(key)
			return true
		}
		queue.Forget(key)
		return true
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for next() {
			}
		})
	}
	<-ctx.Done()
	queue.ShutDown() // without it a worker waits in Get for ever
	running.Wait()
	return nil
}

// Step 8: stop, and leave nothing behind.
//
// Call stop, which ends the context that the informers and the workers were
// started with. Then wait until the workers have sent their result to workers,
// and until every goroutine of the factory's informers has ended (Shutdown).
//
// Return nil, or the workers' error, wrapped with %w. Wait no longer than
// timeout in all: a handler that hangs must not keep the program from ending.
// Return an error then that says what still runs.
func StopAll(stop context.CancelFunc, factory informers.SharedInformerFactory, workers <-chan error, timeout time.Duration) error {
	stop()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	informersDone := make(chan struct{})
	go func() {
		factory.Shutdown()
		close(informersDone)
	}()

	var workersErr error
	select {
	case workersErr = <-workers:
	case <-timer.C:
		return fmt.Errorf("stop: a worker still runs after %s", timeout)
	}
	select {
	case <-informersDone:
	case <-timer.C:
		return errors.Join(fmt.Errorf("stop: an informer or a handler still runs after %s", timeout), workersErr)
	}
	if workersErr != nil {
		return fmt.Errorf("stop the workers: %w", workersErr)
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends ctx and the program cleans up; a second one ends it at once.
	context.AfterFunc(ctx, stop)

	err := todo.Run(ctx, func(ctx context.Context) error { return run(ctx, os.Args[1:], os.Stdout) })
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	// syncTimeout is how long the first list may take.
	syncTimeout = 30 * time.Second
	// stopTimeout is how long the program may take to stop.
	stopTimeout = 1500 * time.Millisecond
)

// settings are the program's flags.
type settings struct {
	kubeconfig, namespace string
	look, resync          time.Duration
	events                bool
}

func parse(args []string) (settings, error) {
	path, err := cluster.DefaultKubeconfig()
	if err != nil {
		return settings{}, err
	}
	var s settings
	flags := flag.NewFlagSet("05-informer", flag.ContinueOnError)
	flags.StringVar(&s.kubeconfig, "kubeconfig", path, "path of the kubeconfig; empty means the rules of kubectl")
	flags.StringVar(&s.namespace, "namespace", "", "namespace to look at; empty means a new one with a Deployment in it")
	flags.DurationVar(&s.look, "for", time.Minute, "how long to look")
	flags.DurationVar(&s.resync, "resync", 0, "replay the cache this often; 0 means never")
	flags.BoolVar(&s.events, "events", true, "print the events as well as the table")
	return s, flags.Parse(args)
}

// run calls the steps in order and stops at the first error.
func run(ctx context.Context, args []string, stdout io.Writer) (err error) {
	set, err := parse(args)
	if err != nil {
		return err
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = set.kubeconfig
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return fmt.Errorf("load kubeconfig %q: %w", set.kubeconfig, err)
	}
	// Only a cluster that `workshop up` has marked gets past this line.
	cfg, err = cluster.Guard(ctx, cfg)
	if err != nil {
		return err
	}
	out := &output{w: stdout}
	defer func() { out.trace() }()
	client, err := newClient(cfg, out)
	if err != nil {
		return err
	}
	if set.namespace == "" {
		namespace, cleanUp, err := ownNamespace(ctx, client, out)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, cleanUp()) }()
		set.namespace = namespace
	}
	return look(ctx, client, set, out)
}

// newClient is a clientset whose requests are kept in out.
func newClient(cfg *rest.Config, out *output) (kubernetes.Interface, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(out.requests.Wrap)
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build a client: %w", err)
	}
	return client, nil
}

// look keeps the table up to date until ctx or the time is over.
func look(ctx context.Context, client kubernetes.Interface, set settings, out *output) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	factory, err := NewFactory(client, set.namespace, set.resync)
	if err != nil {
		return err
	}
	out.line("1. factory: namespace %s, without managedFields", set.namespace)

	var handlers []cache.ResourceEventHandlerRegistration
	pods := factory.Core().V1().Pods()
	if set.events {
		printing, err := PrintPods(pods, out.events())
		if err != nil {
			return err
		}
		handlers = append(handlers, printing)
		out.line("2. handler: a line for each event")
	}

	if err := StartPods(ctx, factory, syncTimeout, handlers...); err != nil {
		return err
	}
	out.line("3. sync: the cache is filled and the handlers have seen it, %d requests so far", out.requests.Count())

	before := out.requests.Count()
	found, err := ReadPods(pods.Lister().Pods(set.namespace), "")
	if err != nil {
		return err
	}
	out.line("4. read: %d pods from the cache, %d requests", len(found), out.requests.Count()-before)

	table := newTable(pods.Lister(), out)
	if err := work(ctx, stop, factory, table, set); err != nil {
		return err
	}
	table.print()
	return nil
}

// work feeds the table through the queue, and stops everything in the end.
func work(ctx context.Context, stop context.CancelFunc, factory informers.SharedInformerFactory, table *table, set settings) error {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	defer queue.ShutDown()
	keys, err := KeyHandler(queue)
	if err != nil {
		return err
	}
	table.out.line("5. keys: a handler that adds keys to a queue")
	changes, err := ChangesOnly(keys)
	if err != nil {
		return err
	}
	// A handler that comes late gets what is in the cache, as adds.
	if _, err := factory.Core().V1().Pods().TypedInformer().AddTypedEventHandler(changes); err != nil {
		return fmt.Errorf("add the queueing handler: %w", err)
	}
	table.out.line("6. changes: the queue hears of nothing else")

	done := make(chan error, 1)
	go func() { done <- RunWorkers(ctx, queue, 2, table.refresh) }()
	table.out.line("7. workers: 2, for %s or until Ctrl-C. Meanwhile, in another terminal:", set.look)
	table.out.line("     go tool workshop churn --namespace %s", set.namespace)
	table.out.line("     go tool workshop kubectl -n %s scale deployment web --replicas 5", set.namespace)

	select {
	case <-ctx.Done():
	case <-time.After(set.look):
	case err := <-done:
		return errors.Join(errors.New("the workers ended early"), err)
	}
	if err := StopAll(stop, factory, done, stopTimeout); err != nil {
		return err
	}
	table.out.line("8. stop: no worker and no informer runs any more")
	return nil
}

// ownNamespace makes a namespace for this run alone, with a Deployment to look
// at. The function that it returns deletes it again, also after an interrupt.
func ownNamespace(ctx context.Context, client kubernetes.Interface, out *output) (string, func() error, error) {
	// An interrupt must not lose the answer: without the name there is no clean-up.
	ns, err := client.CoreV1().Namespaces().Create(context.WithoutCancel(ctx),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "informer-"}}, metav1.CreateOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("create a namespace for this run: %w", err)
	}
	cleanUp := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := client.CoreV1().Namespaces().Delete(ctx, ns.Name, metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("delete namespace %s: %w", ns.Name, err)
		}
		out.line("clean-up: namespace %s is being deleted", ns.Name)
		return nil
	}
	if _, err := client.AppsV1().Deployments(ns.Name).Create(ctx, webDeployment(), metav1.CreateOptions{}); err != nil {
		return "", nil, errors.Join(fmt.Errorf("create deployment %s/web: %w", ns.Name, err), cleanUp())
	}
	return ns.Name, cleanUp, nil
}

func webDeployment() *appsv1.Deployment {
	app := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: app},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(3)),
			Selector: &metav1.LabelSelector{MatchLabels: app},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: app},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.k8s.io/pause:3.10"}}},
			},
		},
	}
}
