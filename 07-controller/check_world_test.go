package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.com/client-go-workshop/internal/check"
)

// The annotations as the task spells them: a constant may be changed by mistake.
const (
	askFor  = "ingress/http"
	askHost = "ingress/host"
	askPort = "ingress/port"
	// badHost is none that the API server takes.
	badHost = "a_b"
)

// newService is a Service that asks for an Ingress; it is in no cluster yet. Its
// label keeps other controllers on the cluster away: they do not even see it.
func newService(ns, name string, annotations map[string]string, ports ...corev1.ServicePort) *corev1.Service {
	all := map[string]string{askFor: "true"}
	for key, value := range annotations {
		all[key] = value
	}
	if len(ports) == 0 {
		ports = []corev1.ServicePort{{Port: 8080}}
	}
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, UID: types.UID("uid-of-" + name), Annotations: all,
			Labels: map[string]string{controllerLabel: ns}},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, Ports: ports},
	}
}

// ingressFor is the Ingress of newService with this host.
func ingressFor(service *corev1.Service, host string) *networkingv1.Ingress {
	return &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: service.Namespace, Name: service.Name,
			OwnerReferences: []metav1.OwnerReference{ownerRef("v1", "Service", service.Name, service.UID)},
		},
		Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{ruleTo(host, service.Name, 8080)}},
	}
}

// ownerRef is a reference to the controller of an object.
func ownerRef(apiVersion, kind, name string, uid types.UID) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, Controller: new(true)}
}

func ruleTo(host, service string, port int32) networkingv1.IngressRule {
	backend := networkingv1.IngressServiceBackend{Name: service, Port: networkingv1.ServiceBackendPort{Number: port}}
	return networkingv1.IngressRule{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
		Paths: []networkingv1.HTTPIngressPath{{
			Path: "/", PathType: new(networkingv1.PathTypePrefix), Backend: networkingv1.IngressBackend{Service: &backend},
		}},
	}}}
}

// event is what a recorder was told.
type event struct {
	uid                           types.UID
	object, kind, reason, message string
}

// events is a record.EventRecorder that sends nothing.
type events struct {
	mu  sync.Mutex
	all []event
}

func (e *events) Event(object runtime.Object, kind, reason, message string) {
	seen := event{kind: kind, reason: reason, message: message, object: fmt.Sprintf("%T", object)}
	if meta, ok := object.(metav1.Object); ok {
		seen.uid, seen.object = meta.GetUID(), seen.object+" "+meta.GetName()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, seen)
}

func (e *events) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	e.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

func (e *events) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, args ...any) {
	e.Event(object, kind, reason, fmt.Sprintf(format, args...))
}

// take returns what was said since the last take.
func (e *events) take() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.all
	e.all = nil
	return all
}

func warningsOf(all []event) []event {
	return slices.DeleteFunc(slices.Clone(all), func(e event) bool { return e.kind != corev1.EventTypeWarning })
}

func describeEvents(all []event) string {
	if len(all) == 0 {
		return "no Event"
	}
	var lines []string
	for _, e := range all {
		lines = append(lines, fmt.Sprintf("%s %s on %s: %s", e.kind, e.reason, e.object, e.message))
	}
	return strings.Join(lines, "; ")
}

// call is one call of a queue; after is the delay of AddAfter.
type call struct {
	name  string
	key   cache.ObjectName
	after time.Duration
}

func (c call) String() string { return fmt.Sprintf("%s(%s) after %s", c.name, c.key, c.after) }

// recordedQueue keeps the calls of a queue with short delays, so that a check need
// not wait. One that only listens keeps all keys to itself.
type recordedQueue struct {
	workqueue.TypedRateLimitingInterface[cache.ObjectName]
	listens bool
	// waiting is how many workers wait for a key.
	waiting atomic.Int64
	mu      sync.Mutex
	calls   []call
}

func newQueueOf(s *check.S, listens bool) *recordedQueue {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](time.Millisecond, 10*time.Millisecond)
	q := &recordedQueue{TypedRateLimitingInterface: workqueue.NewTypedRateLimitingQueue(limiter), listens: listens}
	s.T().Cleanup(q.ShutDown)
	return q
}

// note keeps the call, and makes it where the queue does not only listen.
func (q *recordedQueue) note(name string, key cache.ObjectName, after time.Duration, do func(cache.ObjectName)) {
	q.mu.Lock()
	q.calls = append(q.calls, call{name, key, after})
	q.mu.Unlock()
	if !q.listens {
		do(key)
	}
}

func (q *recordedQueue) Add(key cache.ObjectName) {
	q.note("Add", key, 0, q.TypedRateLimitingInterface.Add)
}

func (q *recordedQueue) AddRateLimited(key cache.ObjectName) {
	q.note("AddRateLimited", key, 0, q.TypedRateLimitingInterface.AddRateLimited)
}

func (q *recordedQueue) AddAfter(key cache.ObjectName, after time.Duration) {
	q.note("AddAfter", key, after, func(key cache.ObjectName) { q.TypedRateLimitingInterface.AddAfter(key, after) })
}

func (q *recordedQueue) Done(key cache.ObjectName) {
	q.note("Done", key, 0, q.TypedRateLimitingInterface.Done)
}

func (q *recordedQueue) Forget(key cache.ObjectName) {
	q.note("Forget", key, 0, q.TypedRateLimitingInterface.Forget)
}

func (q *recordedQueue) Get() (cache.ObjectName, bool) {
	q.note("Get", cache.ObjectName{}, 0, func(cache.ObjectName) {})
	q.waiting.Add(1)
	defer q.waiting.Add(-1)
	return q.TypedRateLimitingInterface.Get()
}

// seen are the calls of these names.
func (q *recordedQueue) seen(names ...string) []call {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(q.calls), func(c call) bool { return !slices.Contains(names, c.name) })
}

// added are the calls that bring a key soon. AddAfter with a minute or more is
// somebody's rare second look at everything, which stands in for nothing.
func (q *recordedQueue) added() []call {
	return slices.DeleteFunc(q.seen("Add", "AddAfter", "AddRateLimited"), func(c call) bool { return c.after >= time.Minute })
}

// clear forgets the calls so far.
func (q *recordedQueue) clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls = nil
}

// world is a controller whose caches hold what the check puts there, and whose
// writes go to the real API server.
type world struct {
	s         *check.S
	ns        string
	rec       *check.Recorder
	api       kubernetes.Interface
	c         *Controller
	events    *events
	queue     *recordedQueue
	services  cache.Indexer
	ingresses cache.Indexer
	// step is the call of the step under judgement for the Service of this name.
	step func(w *world, name string) func(ctx context.Context) error
	// looks says that the step looks at the server after a conflict, reports that
	// it makes Events.
	looks, reports bool
}

func newIndexer() cache.Indexer {
	return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

// fresh is a world with empty caches for the same step.
func (w world) fresh(s *check.S, ns string) *world {
	w.s, w.ns, w.api, w.events = s, ns, s.Clientset(), &events{}
	w.services, w.ingresses = newIndexer(), newIndexer()
	w.queue = newQueueOf(s, true)
	w.c = &Controller{
		queue: w.queue, recorder: w.events, options: Options{Domain: "check.example.com", MaxRetry: 3},
		serviceLister: corelisters.NewServiceLister(w.services),
		ingressLister: networkinglisters.NewIngressLister(w.ingresses),
	}
	w.c.syncHandler = w.c.syncService
	w.reset()
	return &w
}

// service makes a Service on the server and in the cache.
func (w *world) service(name string, annotations map[string]string) *corev1.Service {
	created, err := w.api.CoreV1().Services(w.ns).Create(w.s.Context(), newService(w.ns, name, annotations), metav1.CreateOptions{})
	w.s.Setup(err, "create service "+name)
	return w.cache(created)
}

// hosted is a Service that asks for an Ingress for NAME.example.com.
func (w *world) hosted(name string) *corev1.Service {
	return w.service(name, map[string]string{askHost: name + ".example.com"})
}

// annotate changes the Service on the server and in the cache; nil removes.
func (w *world) annotate(name, patch string) *corev1.Service {
	changed, err := w.api.CoreV1().Services(w.ns).Patch(w.s.Context(), name, types.MergePatchType,
		[]byte(`{"metadata":{"annotations":`+patch+`}}`), metav1.PatchOptions{})
	w.s.Setup(err, "change service "+name)
	return w.cache(changed)
}

func (w *world) cache(service *corev1.Service) *corev1.Service {
	service.ManagedFields = nil
	w.s.Setup(w.services.Add(service), "fill the cache")
	return service
}

// ingress makes an Ingress on the server, not in the cache.
func (w *world) ingress(ingress *networkingv1.Ingress) *networkingv1.Ingress {
	created, err := w.api.NetworkingV1().Ingresses(w.ns).Create(w.s.Context(), ingress, metav1.CreateOptions{})
	w.s.Setup(err, "create ingress "+ingress.Name)
	return created
}

// drop removes the Ingress from the server, not from the cache.
func (w *world) drop(name string) {
	w.s.Setup(w.api.NetworkingV1().Ingresses(w.ns).Delete(w.s.Context(), name, metav1.DeleteOptions{}), "delete ingress "+name)
}

func (w *world) patch(name, patch string) *networkingv1.Ingress {
	changed, err := w.patchLive(name, patch)
	w.s.Setup(err, "change ingress "+name)
	return changed
}

func (w *world) patchLive(name, patch string) (*networkingv1.Ingress, error) {
	ingresses := w.api.NetworkingV1().Ingresses(w.ns)
	return ingresses.Patch(w.s.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
}

// live is the server's Ingress, nil for none.
func (w *world) live(name string) *networkingv1.Ingress {
	found, err := w.api.NetworkingV1().Ingresses(w.ns).Get(w.s.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	w.s.Setup(err, "get ingress "+name)
	return found
}

// catchUp puts what the server has into the cache, without managedFields as
// the program's informers keep it, and begins a new count of requests.
func (w *world) catchUp(name string) {
	if found := w.live(name); found != nil {
		found.ManagedFields = nil
		w.s.Setup(w.ingresses.Add(found), "fill the cache")
	} else {
		gone := &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: name}}
		w.s.Setup(w.ingresses.Delete(gone), "empty the cache")
	}
	w.reset()
}

func (w *world) key(name string) cache.ObjectName {
	return cache.ObjectName{Namespace: w.ns, Name: name}
}

// sync calls the step once, and looks whether it left the caches alone.
func (w *world) sync(name string) error {
	return w.syncIn(name, func(ctx context.Context) context.Context { return ctx })
}

// syncIn is sync with another context.
func (w *world) syncIn(name string, change func(ctx context.Context) context.Context) error {
	var before []runtime.Object
	for _, indexer := range []cache.Indexer{w.services, w.ingresses} {
		for _, object := range indexer.List() {
			before = append(before, object.(runtime.Object).DeepCopyObject())
		}
	}
	step := w.step(w, name)
	err := w.s.Call(func(ctx context.Context) error { return step(change(ctx)) })
	for _, kept := range before {
		indexer := w.services
		if _, ok := kept.(*networkingv1.Ingress); ok {
			indexer = w.ingresses
		}
		got, exists, getErr := indexer.Get(kept)
		w.s.Setup(getErr, "read the cache")
		w.s.Requiref(exists && reflect.DeepEqual(got, kept), "what a lister returns is shared by all who read the cache: change a DeepCopy of it",
			"after the call, the cached %T is another than before: %+v, it was %+v", kept, got, kept)
	}
	return err
}

// step6, step7 and step8 are worlds in which the three are judged.
func step6() world { return world{step: callReconcile} }
func step7() world { return world{step: callSyncIngress, looks: true} }
func step8() world { return world{step: callSyncService, looks: true, reports: true} }

func callReconcile(w *world, name string) func(ctx context.Context) error {
	service, listed, desired := w.look(name)
	return func(ctx context.Context) error { return w.c.reconcile(ctx, service, listed, desired) }
}

func callSyncIngress(w *world, name string) func(ctx context.Context) error {
	service, listed, desired := w.look(name)
	return func(ctx context.Context) error { return w.c.syncIngress(ctx, service, listed, desired) }
}

func callSyncService(w *world, name string) func(ctx context.Context) error {
	return func(ctx context.Context) error { return w.c.syncService(ctx, w.key(name)) }
}

// look does for reconcile and syncIngress what syncService does for them.
func (w *world) look(name string) (service *corev1.Service, listed, desired *networkingv1.Ingress) {
	service, err := w.c.serviceLister.Services(w.ns).Get(name)
	w.s.Setup(err, "read the cache")
	listed, err = w.c.ingressLister.Ingresses(w.ns).Get(name)
	if !apierrors.IsNotFound(err) {
		w.s.Setup(err, "read the cache")
	}
	if host := service.Annotations[askHost]; service.Annotations[askFor] == "true" && host != badHost {
		desired = ingressFor(service, host)
	}
	return service, listed, desired
}

// want is Requiref with the requests since the last reset. Errors, Ingresses and
// Events among args are described.
func (w *world) want(ok bool, cause, format string, args ...any) {
	if ok {
		return
	}
	for i, arg := range args {
		switch arg := arg.(type) {
		case nil:
			args[i] = check.ErrorText(nil)
		case error:
			args[i] = check.ErrorText(arg)
		case *networkingv1.Ingress:
			args[i] = describeIngress(arg)
		case []event:
			args[i] = describeEvents(arg)
		}
	}
	seen := fmt.Sprintf(format, args...)
	if w.rec.Count(check.Match{}) > 0 {
		seen += "\n" + w.rec.Trace()
	}
	w.s.Require(false, seen, cause)
}

// writes are the requests that change or try to change an Ingress.
func (w *world) writes() int { return w.count(isWrite) }

// reads are the requests that read what the listers have.
func (w *world) reads() int { return w.count(func(verb string) bool { return !isWrite(verb) }) }

func (w *world) count(of func(verb string) bool) int {
	n := 0
	for _, request := range w.rec.Requests(check.Match{}) {
		if of(request.Verb) && (request.Resource == "ingresses" || request.Resource == "services") {
			n++
		}
	}
	return n
}

func isWrite(verb string) bool { return !slices.Contains([]string{"get", "list", "watch"}, verb) }

// reset forgets the requests so far, the Events, and the keys in the queue.
func (w *world) reset() {
	rec, cfg := w.s.Recorder()
	w.rec, w.c.client = rec, w.s.ClientsetFor(cfg)
	w.events.take()
	w.queue.clear()
}

func boolError(ok bool) error {
	if ok {
		return nil
	}
	return errors.New("it did not happen")
}
