package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	coreinformers "k8s.io/client-go/informers/core/v1"
	networkinginformers "k8s.io/client-go/informers/networking/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// Controller gives each annotated Service an Ingress.
type Controller struct {
	client    kubernetes.Interface
	services  corelisters.ServiceLister
	ingresses networkinglisters.IngressLister
	// handlers are in sync when all that the caches began with is in the queue.
	handlers []cache.ResourceEventHandlerRegistration
	// queue holds the namespace and name of Services, whatever happened to them.
	queue    workqueue.TypedRateLimitingInterface[cache.ObjectName]
	recorder record.EventRecorder
	options  Options
	policy   Policy

	// syncHandler is what becomes of a key: syncService.
	syncHandler func(ctx context.Context, key cache.ObjectName) error
	// nextItem is what a worker does again and again: processNextItem.
	nextItem func(ctx context.Context) (more bool, err error)
	warned   warnings
}

// Policy is all that the controller knows about Ingresses, which its machinery
// does without.
type Policy struct {
	// Desired is step 1.
	Desired func(service *corev1.Service, options Options) (*networkingv1.Ingress, error)
	// NeedsChange is step 2.
	NeedsChange func(service *corev1.Service, existing, desired *networkingv1.Ingress) (bool, error)
	// Keys is step 4.
	Keys func(obj any) ([]cache.ObjectName, error)
}

func newPolicy() Policy {
	return Policy{Desired: DesiredIngress, NeedsChange: NeedsChange, Keys: ServiceKeys}
}

// lookAgain is when the cache should know what the server has known.
const lookAgain = 3 * time.Second

// newQueue makes the queue of keys. A key that fails comes back after 5 ms, and
// after twice the time at each further failure, up to 30 s.
func newQueue(metrics workqueue.MetricsProvider) workqueue.TypedRateLimitingInterface[cache.ObjectName] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](5*time.Millisecond, 30*time.Second),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "services", MetricsProvider: metrics})
}

// Step 3: make the controller, and have it hear of what happens.
//
// Return a Controller with all of its fields set; warned begins empty,
// syncHandler is the method syncService, nextItem the method processNextItem.
// Add handlers to both informers and keep the two registrations in handlers:
//
//   - each add, update and delete of a Service puts that Service's key into
//     the queue. Do not look at what has changed, and do not drop an update
//     whose two objects are equal: that is a resync, which asks you to look again;
//   - each add, update and delete of an Ingress puts the keys that policy.Keys
//     returns for what the handler gets into the queue; for an update those of
//     the old object and of the new one: the Ingress may have changed hands.
//
// A deletion may bring a cache.DeletedFinalStateUnknown in place of the object;
// cache.DeletionHandlingObjectToName knows it. A handler has nobody to return
// an error to: give it to utilruntime.HandleError.
//
// No request is made and no informer is started here.
func NewController(client kubernetes.Interface, services coreinformers.ServiceInformer, ingresses networkinginformers.IngressInformer,
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName], recorder record.EventRecorder, policy Policy, options Options) (*Controller, error) {
	c := &Controller{
		client:    client,
		services:  services.Lister(),
		ingresses: ingresses.Lister(),
		queue:     queue,
		recorder:  recorder,
		options:   options,
		policy:    policy,
	}
	c.syncHandler, c.nextItem = c.syncService, c.processNextItem
	for _, add := range []struct {
		kind     string
		informer cache.SharedIndexInformer
		keys     func(obj any) ([]cache.ObjectName, error)
	}{
		{"services", services.Informer(), serviceKey},
		{"ingresses", ingresses.Informer(), policy.Keys},
	} {
		registration, err := add.informer.AddEventHandler(c.enqueue(add.keys))
		if err != nil {
			return nil, fmt.Errorf("add a handler for %s: %w", add.kind, err)
		}
		c.handlers = append(c.handlers, registration)
	}
	return c, nil
}

// enqueue is a handler that adds the keys of each object that it is told of.
func (c *Controller) enqueue(keys func(obj any) ([]cache.ObjectName, error)) cache.ResourceEventHandler {
	add := func(obj any) {
		found, err := keys(obj)
		if err != nil {
			utilruntime.HandleError(fmt.Errorf("find the keys of an event: %w", err))
			return
		}
		for _, key := range found {
			c.queue.Add(key)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(before, after any) { add(before); add(after) },
		DeleteFunc: add,
	}
}

func serviceKey(obj any) ([]cache.ObjectName, error) {
	key, err := cache.DeletionHandlingObjectToName(obj)
	return []cache.ObjectName{key}, err
}

// Step 4: whose Ingress is it?
//
// obj is what an informer for Ingresses hands to a handler: a
// *networkingv1.Ingress, or for a deletion that nobody saw a
// cache.DeletedFinalStateUnknown, whose Obj is the last known state or
// something else, even nil. Anything else is an error.
//
// Return the keys of the Services to look at, each once and in any order:
//
//   - the namespace and name of the Ingress itself, always. Somebody else's
//     Ingress may stand in the way of a Service of its name, or stop doing so;
//   - the namespace of the Ingress and the name of its controller, if that is a
//     Service of the core group, of any version: some other API may have a kind
//     of that name. An owner is in the namespace of what it owns.
func ServiceKeys(obj any) ([]cache.ObjectName, error) {
	tombstone, unseen := obj.(cache.DeletedFinalStateUnknown)
	if unseen {
		obj = tombstone.Obj
	}
	ingress, ok := obj.(*networkingv1.Ingress)
	if !ok || ingress == nil {
		if !unseen {
			return nil, fmt.Errorf("want an ingress, got %T", obj)
		}
		name, err := cache.ParseObjectName(tombstone.Key)
		if err != nil {
			return nil, fmt.Errorf("name a deleted ingress: %w", err)
		}
		return []cache.ObjectName{name}, nil
	}
	name := cache.MetaObjectToName(ingress)
	keys := []cache.ObjectName{name}
	if owner := metav1.GetControllerOf(ingress); owner != nil && isService(owner) && owner.Name != name.Name {
		keys = append(keys, cache.ObjectName{Namespace: name.Namespace, Name: owner.Name})
	}
	return keys, nil
}

// isService tells the core group, whose apiVersion is a version alone, from others.
func isService(owner *metav1.OwnerReference) bool {
	group, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && group.Group == corev1.GroupName && owner.Kind == "Service"
}

// Step 5: bring one Service's Ingress to what it should be.
//
// The key says which Service, and not what happened: compare what is with what
// should be. Read Services and Ingresses through the listers, which cost no
// request, and never change what they return. c.policy.Desired says what should
// be (step 1), c.policy.NeedsChange whose it is and whether it differs (step 2).
//
//   - The Service is gone, or being deleted: do nothing. The garbage collector
//     takes the Ingress, and making a new one would hold it up.
//   - Should have an Ingress and has none: createIngress.
//   - Has one that is its own and differs: applyIngress.
//   - Should have none, but has one of its own: deleteIngress. An
//     *InvalidError from Desired is this case, too, and then one Warning Event
//     on the Service that says what is wrong. It is no failure: a retry mends
//     nothing, and a change of the Service brings its key back.
//   - Should have one, but the Ingress of its name is not its own: leave it
//     alone, and say so in a Warning Event. If the lister has that Ingress, this
//     is no failure either: when it goes, its event brings the key back. But one
//     that only the server shows may go before the cache has heard of it, and
//     then no event comes: return the *ForeignError, so that the key is tried
//     again. A Service that should have none does not mind whose it is.
//   - For the same reason, put the key into the queue once more, after lookAgain,
//     when the lister has no Ingress and the server has the right one, also when
//     you have just made it.
//
// c.warn makes the Events; c.warned.forget, for a Service that is gone or well,
// lets the same warning be news again. The caches may be behind: when the server answers a
// write with AlreadyExists or Conflict, read the Ingress once from the server,
// with getIngress, and decide again on what it says. What is gone when you want
// to delete it needs no more work. A namespace that is being deleted takes no
// new objects (apierrors.HasStatusCause, corev1.NamespaceTerminatingCause): do
// not try again.
//
// Every other error is returned, so that the key is tried again; wrap it with
// %w and name the Service.
func (c *Controller) syncService(ctx context.Context, key cache.ObjectName) error {
	cached, err := c.services.Services(key.Namespace).Get(key.Name)
	service, err := found(cached, err, "read service "+key.String())
	switch {
	case err != nil:
		return err
	case service == nil:
		c.warned.forget(key)
		return nil
	case service.DeletionTimestamp != nil:
		return nil
	}
	var invalid *InvalidError
	desired, err := c.policy.Desired(service, c.options)
	if err != nil && !errors.As(err, &invalid) {
		return fmt.Errorf("sync service %s: %w", key, err)
	}
	listed, err := c.ingresses.Ingresses(key.Namespace).Get(key.Name)
	existing, err := found(listed, err, "read ingress "+key.String())
	if err != nil {
		return err
	}
	known := existing
	err = c.reconcile(ctx, service, existing, desired)
	if apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) {
		if existing, err = c.getIngress(ctx, key); err == nil {
			err = c.reconcile(ctx, service, existing, desired)
		}
	}
	var foreign *ForeignError
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil
	case errors.As(err, &foreign) && desired != nil:
		c.warn(service, "IngressNotOwned", foreign.Error())
		if known == nil {
			// Perhaps it goes before the cache has heard of it: no event would come.
			return fmt.Errorf("sync service %s: %w", key, err)
		}
		return nil
	case err != nil && foreign == nil:
		return fmt.Errorf("sync service %s: %w", key, err)
	case invalid != nil:
		c.warn(service, "InvalidService", invalid.Error())
		return nil
	}
	if known == nil && desired != nil {
		// The same holds for one that we have just made.
		c.queue.AddAfter(key, lookAgain)
	}
	c.warned.forget(key)
	return nil
}

// reconcile makes at most one write.
func (c *Controller) reconcile(ctx context.Context, service *corev1.Service, existing, desired *networkingv1.Ingress) error {
	logger := klog.FromContext(ctx)
	if existing == nil {
		if desired == nil {
			return nil
		}
		logger.V(2).Info("Creating the Ingress", "service", klog.KObj(service))
		return c.createIngress(ctx, desired)
	}
	change, err := c.policy.NeedsChange(service, existing, desired)
	if err != nil || !change {
		return err
	}
	if desired == nil {
		logger.V(2).Info("Deleting the Ingress", "service", klog.KObj(service))
		if err := c.deleteIngress(ctx, existing); !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	}
	logger.V(2).Info("Putting the Ingress right", "service", klog.KObj(service))
	return c.applyIngress(ctx, existing, desired)
}

// found makes of a NotFound that there is nothing, which is no error.
func found[T any](object *T, err error, doing string) (*T, error) {
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return object, nil
}

// Step 6: work one key off.
//
// Take one key out of the queue (Get), which waits for one, call c.syncHandler
// with it, and in any case tell the queue that you are done with it (Done):
// until then nobody gets this key again. Return true, or false when Get says
// that the queue is shut down. The error that you return is for what ends the
// controller; a sync that fails does not, and nothing else can fail here.
//
// What becomes of the key is for a method of its own that you write here:
//
//   - no error: the queue forgets the key's failures (Forget). Who leaves this
//     out makes the next failure, some day, wait as if it were the tenth;
//   - an error, and the key has been tried again less than options.MaxRetry
//     times (NumRequeues): the key comes back later (AddRateLimited);
//   - else give up: Forget the key, so that the next change of the Service
//     begins anew, log the error (utilruntime.HandleErrorWithContext), and tell
//     those who look at the Service with a Warning Event (c.warn), if the
//     lister has the Service.
//
// An error because ctx has ended is no failure of the key: we are stopping.
func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false, nil
	}
	defer c.queue.Done(key)
	c.handleError(ctx, key, c.syncHandler(ctx, key))
	return true, nil
}

// handleError decides whether a key comes back.
func (c *Controller) handleError(ctx context.Context, key cache.ObjectName, err error) {
	logger := klog.FromContext(ctx)
	switch {
	case err == nil:
		c.queue.Forget(key)
	case ctx.Err() != nil:
		logger.V(2).Info("Stopped within a sync", "service", key, "err", err)
	case c.queue.NumRequeues(key) < c.options.MaxRetry:
		logger.Info("Will try again", "service", key, "failures", c.queue.NumRequeues(key)+1, "err", err)
		c.queue.AddRateLimited(key)
	default:
		c.queue.Forget(key)
		utilruntime.HandleErrorWithContext(ctx, err, "Gave up until the next change", "service", key, "retries", c.options.MaxRetry)
		if service, missing := c.services.Services(key.Namespace).Get(key.Name); missing == nil {
			c.warn(service, "SyncFailed", fmt.Sprintf("gave up after %d retries, until the next change: %v", c.options.MaxRetry, err))
		}
	}
}

// Step 7: run until ctx ends.
//
// Wait until the handlers are in sync: before that the caches are not whole, and
// who reads from them takes what is not there yet for what is not there at all.
// Then run options.Workers workers side by side. When ctx ends, also while you
// wait, shut the queue down, wait until every worker has returned, and return
// nil: no sync may run any more when Run has returned, and nothing of it.
//
// A worker that returns an error ends the others as well; return that error.
// A worker is the method c.worker, and gets a context that ends with ctx. Fewer
// than one worker is an error, at once.
func (c *Controller) Run(ctx context.Context) error {
	// Also where there is nothing to run: a queue has goroutines of its own.
	defer c.queue.ShutDown()
	if c.options.Workers < 1 {
		return fmt.Errorf("run the controller: %d workers, want 1 at least", c.options.Workers)
	}
	logger := klog.FromContext(ctx)
	logger.Info("Starting the controller", "workers", c.options.Workers)
	defer logger.Info("The controller has stopped")

	checkers := make([]cache.DoneChecker, len(c.handlers))
	for i, handler := range c.handlers {
		checkers[i] = handler.HasSyncedChecker()
	}
	if !cache.WaitFor(ctx, "", checkers...) {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var workers sync.WaitGroup
	failures := make(chan error, c.options.Workers)
	for range c.options.Workers {
		workers.Go(func() {
			defer utilruntime.HandleCrashWithContext(ctx)
			if err := c.worker(ctx); err != nil {
				failures <- err
				stop()
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	workers.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}

// worker works keys off until ctx has ended or the queue is shut down.
func (c *Controller) worker(ctx context.Context) error {
	for ctx.Err() == nil {
		more, err := c.nextItem(ctx)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// ready says whether the caches are whole.
func (c *Controller) ready() bool {
	for _, handler := range c.handlers {
		if !handler.HasSynced() {
			return false
		}
	}
	return true
}

// warn makes a Warning Event on the Service. It says the same thing once for
// each version of the Service: an Ingress that changes often, say, in its
// status, must not make an Event each time.
func (c *Controller) warn(service *corev1.Service, reason, message string) {
	if c.warned.first(service, reason+": "+message) {
		c.recorder.Event(service, corev1.EventTypeWarning, reason, message)
	}
}

// warnings are the last warning of each Service that has one.
type warnings struct {
	mu   sync.Mutex
	last map[cache.ObjectName]string
}

// first says whether this is news, and keeps it.
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

// forget is for a Service that is gone or well.
func (w *warnings) forget(key cache.ObjectName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.last, key)
}
