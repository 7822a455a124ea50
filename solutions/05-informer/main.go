// Chapter 05: keep a live copy of the pods of one namespace with an informer,
// receive every change, and process it through a queue.
//
// Run it from the repository root: go run ./05-informer
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

// NewFactory returns a factory whose informers watch one namespace.
//
// Step 1: make a factory for one namespace.
//
// Make it with NewSharedInformerFactoryWithOptions of k8s.io/client-go/informers.
//
//   - Its informers watch the one namespace only.
//   - Their default resync period is resync. 0 means none.
//   - They pass each object through a transform, before they keep the object and
//     before a handler sees it.
//   - The transform removes metadata.managedFields, and leaves everything else as
//     it is.
//   - The transform gets objects of every kind that the factory's user asks for,
//     not only pods. It returns what has no metadata unchanged, for example a
//     cache.DeletedFinalStateUnknown.
//   - An empty namespace would mean all namespaces. Return an error for it.
//   - Make no request. Ask for no informer, and start none.
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

// PrintPods registers a handler that writes a line to w for each event, and
// returns its registration.
//
// Step 2: print a line for each event.
//
//		added NAMESPACE/NAME STATUS
//		updated NAMESPACE/NAME STATUS
//		deleted NAMESPACE/NAME
//		deleted NAMESPACE/NAME missed
//
//	  - Register a typed handler for pods (TypedInformer, AddTypedEventHandler).
//	  - STATUS is what podStatus says. An update has the new status.
//	  - Write "missed" when the informer did not see the deletion itself. After a
//	    gap in the watch, it learns from a new list that a pod is gone. Then
//	    DeletedObject.FinalStateUnknown is not nil, and DeletedObject.OptionalObj
//	    is an old state of the pod, or nil.
//	  - Return the registration: the caller waits for the handler with it, and
//	    removes the handler with it.
//	  - Return an error of the registration, wrapped with %w.
//	  - Make no request. Start nothing.
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

// WaitForSync returns when the caches of the factory's informers are in sync, and
// so are the handlers.
//
// Step 3: wait for the caches and the handlers, with a timeout.
//
// The caller has started the factory. Return nil when
//
//   - the cache of each informer that the factory has started holds the first
//     full list;
//   - each of the handlers has been given all of that list. This comes later.
//
// Wait no longer than timeout in all. When timeout is over, or ctx has ended,
// return an error that says what is not in sync, and wraps the reason: it is
// context.DeadlineExceeded when timeout is over, and ctx's own error when ctx has
// ended. The informers and the handlers go on after that: only the wait ends.
//
// A registration's HasSyncedChecker says when its handler is in sync.
// k8s.io/client-go/tools/cache has functions that wait.
func WaitForSync(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration,
	handlers ...cache.ResourceEventHandlerRegistration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		return fmt.Errorf("wait for the caches: %w", err)
	}
	for _, handler := range handlers {
		if checker := handler.HasSyncedChecker(); !cache.WaitFor(ctx, "", checker) {
			return fmt.Errorf("the caches are in sync, and a handler has not seen all of it (%s): %w", checker.Name(), context.Cause(ctx))
		}
	}
	return nil
}

// StartPods starts the factory's informers, that for pods among them, and calls
// wait.
//
// Step 4: start, and say why it failed.
//
//   - Ask the factory for its pod informer: nobody may have done so before.
//   - Start the factory's informers. They go on after you have returned, until
//     ctx ends.
//   - Then call wait with ctx, once. It returns nil when everything is in sync.
//     Return nil then.
//
// The informer tries a list that the server refuses again and again, without a
// word to you. SetWatchErrorHandlerWithContext, called before the start, tells you
// of each error. So when wait fails, say why. Return an error that
//
//   - wraps wait's error;
//   - wraps the last error that the pod informer met, if it met one, so that
//     apierrors.IsForbidden and its like work.
//
// The informer calls the error handler in a goroutine of its own. An error that
// goes away again before wait returns nil is none.
func StartPods(ctx context.Context, factory informers.SharedInformerFactory, wait func(context.Context) error) error {
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
	if err := wait(ctx); err != nil {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Errorf("start the pod informer: %w", errors.Join(lastErr, err))
	}
	return nil
}

// ReadPods returns copies of the cached pods that match the label selector.
//
// Step 5: read from the cache.
//
//   - The selector "" matches all.
//   - A selector that cannot be parsed is an error.
//   - Sort the pods by name.
//   - Return copies. The objects in the cache are shared: the informer, its
//     handlers and every reader have the same pointers, and the caller may change
//     what you return.
//   - Make no request.
//
// k8s.io/apimachinery/pkg/labels parses a selector.
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

// KeyHandler returns a handler that adds the key of a pod to the queue.
//
// Step 6: hand the key to a queue.
//
//   - Add the pod's key, which is its namespace and its name, on each event.
//   - Do nothing else. What happened is not in the queue: a worker that takes the
//     key out looks at the cache.
//   - The key of a deleted pod is known even where the pod itself is not.
//
// cache.MetaObjectToName (k8s.io/client-go/tools/cache) makes a key.
func KeyHandler(queue workqueue.TypedInterface[cache.ObjectName]) cache.TypedResourceEventHandler[*corev1.Pod] {
	return coreinformers.PodHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod) { queue.Add(cache.MetaObjectToName(pod)) },
		UpdateFunc: func(_, pod *corev1.Pod) { queue.Add(cache.MetaObjectToName(pod)) },
		DeleteFunc: func(pod coreinformers.DeletedPod) { queue.Add(pod.GetObjectName()) },
	}
}

// ChangesOnly returns a handler that passes changes on to next.
//
// Step 7: tell a change from a resync, and a new pod from an update.
//
//   - An add and a delete go on as they are.
//   - An update whose two objects have the same resourceVersion changed nothing:
//     it is a resync, or a new list of what was known. Drop it.
//   - An update whose two objects have different UIDs is two pods. The first was
//     deleted, and another one of the same name was created, during a gap in the
//     watch. Call OnDelete of next for the old one, then OnAdd for the new one.
//   - The new one is not part of the initial list. The last state of the old one
//     is not known, so set OptionalObj, and FinalStateUnknown with its key and the
//     object.
//   - Any other update goes on as it is.
func ChangesOnly(next cache.TypedResourceEventHandler[*corev1.Pod]) cache.TypedResourceEventHandler[*corev1.Pod] {
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
	}
}

// RunWorkers processes the keys of the queue with several workers, side by side,
// until ctx ends.
//
// Step 8: process the queue.
//
//   - Each worker takes a key (Get), and calls handle with it and with ctx.
//   - After handle, call Done for the key, also when handle failed. Until then the
//     queue gives this key to nobody else.
//   - When handle returns nil, call Forget: the queue resets the key's retry count.
//   - When handle returns an error, requeue the key with backoff (AddRateLimited),
//     each time, without a limit. The worker goes on with other keys.
//   - When ctx ends, shut the queue down. Return nil once every worker has
//     returned: no call of handle runs any more. You may leave the keys that are
//     still in the queue by then.
//   - Fewer than one worker is an error.
func RunWorkers(ctx context.Context, queue workqueue.TypedRateLimitingInterface[cache.ObjectName], workers int,
	handle func(context.Context, cache.ObjectName) error) error {
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

// StopAll ends the informers and the workers, and waits for them.
//
// Step 9: stop, and leave nothing behind.
//
//   - Call stop first. It ends the context that the informers and the workers were
//     started with.
//   - Wait until the workers have sent their result to workers.
//   - Wait until every goroutine of the factory's informers has ended (Shutdown),
//     also when the workers sent an error.
//   - Return nil, or the workers' error, wrapped with %w.
//   - Wait no longer than timeout in all: a handler that hangs must not keep the
//     program from ending. Return an error then that says what still runs.
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

	wait := func(ctx context.Context) error {
		err := WaitForSync(ctx, factory, syncTimeout, handlers...)
		if err == nil {
			out.line("3. sync: the cache is filled and the handlers have seen it")
		}
		return err
	}
	if err := StartPods(ctx, factory, wait); err != nil {
		return err
	}
	out.line("4. start: the informers run, %d requests so far", out.requests.Count())

	before := out.requests.Count()
	found, err := ReadPods(pods.Lister().Pods(set.namespace), "")
	if err != nil {
		return err
	}
	out.line("5. read: %d pods from the cache, %d requests", len(found), out.requests.Count()-before)

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
	keys := KeyHandler(queue)
	table.out.line("6. keys: a handler that adds keys to a queue")
	changes := ChangesOnly(keys)
	// A handler that comes late gets what is in the cache, as adds.
	if _, err := factory.Core().V1().Pods().TypedInformer().AddTypedEventHandler(changes); err != nil {
		return fmt.Errorf("add the queueing handler: %w", err)
	}
	table.out.line("7. changes: the queue hears of nothing else")

	done := make(chan error, 1)
	go func() { done <- RunWorkers(ctx, queue, 2, table.refresh) }()
	table.out.line("8. workers: 2, for %s or until Ctrl-C. Meanwhile, in another terminal:", set.look)
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
	table.out.line("9. stop: no worker and no informer runs any more")
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
