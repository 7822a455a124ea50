package main

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	networkinginformers "k8s.io/client-go/informers/networking/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"

	"example.com/client-go-workshop/internal/todo"
)

// Controller reconciles the Ingress of each annotated Service.
type Controller struct {
	client        kubernetes.Interface
	serviceLister corelisters.ServiceLister
	ingressLister networkinglisters.IngressLister
	// handlers have synced when every object of the first list has its key in the queue.
	handlers []cache.ResourceEventHandlerRegistration
	// queue holds the keys of Services, whatever has happened to them.
	queue    workqueue.TypedRateLimitingInterface[cache.ObjectName]
	recorder record.EventRecorder
	options  Options
	warned   warnings

	// syncHandler is syncService. Tests replace it.
	syncHandler func(ctx context.Context, key cache.ObjectName) error
}

// newQueue returns the work queue. A key that fails is requeued after 5 ms, and
// after twice the time at each further failure, up to 30 s.
func newQueue(metrics workqueue.MetricsProvider) workqueue.TypedRateLimitingInterface[cache.ObjectName] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](5*time.Millisecond, 30*time.Second),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "services", MetricsProvider: metrics})
}

// ServiceKeys returns the keys of the Services to reconcile after an event of an
// Ingress.
//
// Step 3: find the Services that an event of an Ingress concerns.
//
// obj is what an informer of Ingresses passes to an event handler: a
// *networkingv1.Ingress, or for a missed deletion a
// cache.DeletedFinalStateUnknown, called a tombstone. The Obj of a tombstone is
// the last known state, or something else, or nil. Its Key is always set.
//
// Return these keys, each once, in any order:
//
//   - the namespace and name of the Ingress, always. A Service of that name may
//     be waiting for the Ingress of somebody else to go away. A tombstone has
//     this key also when its Obj is no Ingress;
//   - the namespace of the Ingress and the name of its controller, if that is a
//     Service of the core group, in whatever version. Other API groups have kinds
//     called Service, too. An owner is always in the namespace of what it owns.
//
// Return an error if obj is neither an Ingress nor a tombstone, or a nil
// *networkingv1.Ingress.
func ServiceKeys(obj any) ([]cache.ObjectName, error) {
	panic(todo.Step(3))
}

// NewController returns a Controller whose event handlers fill the queue.
//
// Step 4: put the controller together and add its event handlers.
//
// Return a Controller with all of its fields set. The listers come from the two
// informers, syncHandler is the method syncService, and warned stays empty.
//
// Add one event handler to each informer, and keep the two registrations that
// AddEventHandler returns in handlers:
//
//   - Services: add the key of the Service to the queue at every add, update and
//     delete. cache.DeletionHandlingObjectToName returns the key, also of a
//     tombstone.
//   - Ingresses: add all keys that ServiceKeys returns for what the handler got.
//     For an update, add those of the old object and those of the new one. The
//     Ingress may have got another owner, and both Services need a look.
//
// Call the queue's Add in every case: an event is no failure, and need not wait.
// Do not look at what has changed. Do not drop an update whose two objects are
// equal either: that is a resync, which asks you to look again.
//
// An event handler cannot return an error. Pass it to utilruntime.HandleError
// (k8s.io/apimachinery/pkg/util/runtime), and go on with the other keys. But
// return the error of AddEventHandler.
//
// Send no request here and start no informer.
func NewController(client kubernetes.Interface, services coreinformers.ServiceInformer, ingresses networkinginformers.IngressInformer,
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName], recorder record.EventRecorder, options Options) (*Controller, error) {
	panic(todo.Step(4))
}

// handleErr forgets key, requeues it, or gives it up.
//
// Step 9: decide whether a key is tried again.
//
// err is what the sync of key returned. Act by the first of these that is true:
//
//   - err is nil: call Forget. It resets the retry count of the key. Without it,
//     a later failure starts with a long delay.
//   - ctx has ended: do nothing. The program is stopping, and the next start
//     reconciles every Service. Ask ctx and not err: a single request may have had
//     a deadline of its own.
//   - The key was requeued less than options.MaxRetry times (NumRequeues): call
//     AddRateLimited. Do this for every error, also for NotFound.
//   - Otherwise give up: call Forget, so that the next event starts anew. Log err
//     with utilruntime.HandleErrorWithContext. If serviceLister has the Service,
//     make a Warning Event on it with c.warn. The message contains the text of err.
//
// Make no Event in the other cases.
func (c *Controller) handleErr(ctx context.Context, err error, key cache.ObjectName) {
	panic(todo.Step(9))
}

// processNextWorkItem processes one key, and returns false when the queue is shut down.
//
// Step 10: process one key of the queue.
//
// Take a key with Get, which waits until there is one. If Get says that the
// queue is shut down, return false: the key that comes with it is empty.
//
// Otherwise call c.syncHandler once, with ctx and the key, and pass its error to
// c.handleErr. Call Done once for the key, after that, and in every case: until
// Done, the queue gives the key to no other worker. Return true.
func (c *Controller) processNextWorkItem(ctx context.Context) bool {
	panic(todo.Step(10))
}

// Run runs so many workers until ctx ends.
//
// Step 11: start the workers, and stop without a loss.
//
// Return an error at once if workers is less than 1. Otherwise
//
//  1. wait until all handlers have synced (cache.WaitFor, HasSyncedChecker).
//     Before that, a worker would take an object that the cache does not have yet
//     for one that does not exist;
//  2. run c.runWorker in so many goroutines, with a context that ends with ctx;
//  3. wait for the end of ctx;
//  4. shut the queue down: a worker that waits in Get does not watch ctx;
//  5. wait until all workers have returned, and return nil.
//
// If ctx ends while you wait for the handlers, start no worker and return nil.
// Shut the queue down in this case, too, and before you return an error: it has
// goroutines of its own.
func (c *Controller) Run(ctx context.Context, workers int) error {
	panic(todo.Step(11))
}

// runWorker processes keys until ctx ends or the queue is shut down.
func (c *Controller) runWorker(ctx context.Context) {
	for ctx.Err() == nil && c.processNextWorkItem(ctx) {
	}
}

// ready reports whether the handlers have synced.
func (c *Controller) ready() bool {
	for _, handler := range c.handlers {
		if !handler.HasSynced() {
			return false
		}
	}
	return true
}

// warn makes a Warning Event on the Service. It makes the same Event once for
// each version of the Service: an Ingress whose status changes often must not
// lead to an Event at each change.
func (c *Controller) warn(service *corev1.Service, reason, message string) {
	if c.warned.first(service, reason+": "+message) {
		c.recorder.Event(service, corev1.EventTypeWarning, reason, message)
	}
}

// warnings holds the last warning of each Service that has one.
type warnings struct {
	mu   sync.Mutex
	last map[cache.ObjectName]string
}

// first reports whether text is new for this version of the Service, and keeps it.
func (w *warnings) first(service *corev1.Service, text string) bool {
	key := cache.MetaObjectToName(service)
	text = string(service.UID) + "/" + service.ResourceVersion + " " + text
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last[key] == text {
		return false
	}
	if w.last == nil {
		w.last = map[cache.ObjectName]string{}
	}
	w.last[key] = text
	return true
}

// forget removes the warning of a Service that is gone or reconciled.
func (w *warnings) forget(key cache.ObjectName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.last, key)
}
