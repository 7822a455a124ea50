package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
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
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.com/client-go-workshop/internal/check"
)

// The annotations as the task spells them: a constant may be changed by mistake.
const (
	askFor   = "ingress/http"
	askHost  = "ingress/host"
	askPort  = "ingress/port"
	checkOwn = "check.example.com"
)

func clientset(s *check.S, cfg *rest.Config) kubernetes.Interface {
	client, err := kubernetes.NewForConfig(cfg)
	s.Setup(err, "build a client")
	return client
}

// eventually waits until ok is true, and reports whether it came to that.
func eventually(s *check.S, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(s.Context(), 12*time.Second)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			return ok()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return true
}

// newService is a Service that asks for an Ingress; it is in no cluster yet.
func newService(ns, name string, annotations map[string]string, ports ...corev1.ServicePort) *corev1.Service {
	all := map[string]string{askFor: "true"}
	for key, value := range annotations {
		all[key] = value
	}
	if len(ports) == 0 {
		ports = []corev1.ServicePort{{Port: 8080}}
	}
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, UID: types.UID("uid-of-" + name), Annotations: all},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, Ports: ports},
	}
}

// ingressFor is what the check's own policy wants for a Service.
func ingressFor(service *corev1.Service, host string) *networkingv1.Ingress {
	return &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: service.Namespace, Name: service.Name,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Service", Name: service.Name, UID: service.UID, Controller: new(true)}},
		},
		Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{ruleTo(host, service.Name, 8080)}},
	}
}

func ruleTo(host, service string, port int32) networkingv1.IngressRule {
	return networkingv1.IngressRule{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
		Paths: []networkingv1.HTTPIngressPath{{
			Path: "/", PathType: new(networkingv1.PathTypePrefix),
			Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: service, Port: networkingv1.ServiceBackendPort{Number: port}}},
		}},
	}}}
}

// checkPolicy stands in for steps 1, 2 and 4, which may not be written: an
// Ingress where the annotation says true, its host from the annotation, and an
// *InvalidError for the host "bad".
func checkPolicy() Policy {
	return Policy{
		Desired: func(service *corev1.Service, _ Options) (*networkingv1.Ingress, error) {
			switch {
			case service.Annotations[askFor] != "true":
				return nil, nil
			case service.Annotations[askHost] == "bad":
				return nil, &InvalidError{Problem: "the host is bad, says the check"}
			case service.Annotations[askHost] == "broken":
				return nil, errPolicy
			}
			return ingressFor(service, service.Annotations[askHost]), nil
		},
		NeedsChange: func(service *corev1.Service, existing, desired *networkingv1.Ingress) (bool, error) {
			switch {
			case !metav1.IsControlledBy(existing, service):
				return false, &ForeignError{Ingress: cache.MetaObjectToName(existing), Owner: metav1.GetControllerOf(existing)}
			case existing.DeletionTimestamp != nil:
				return false, nil
			case desired == nil:
				return true, nil
			}
			return !reflect.DeepEqual(existing.Spec.Rules, desired.Spec.Rules), nil
		},
		Keys: func(obj any) ([]cache.ObjectName, error) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				if tombstone.Obj == nil {
					name, err := cache.ParseObjectName(tombstone.Key)
					return []cache.ObjectName{{Namespace: name.Namespace, Name: "tomb-" + name.Name}}, err
				}
				obj = tombstone.Obj
			}
			ingress, ok := obj.(*networkingv1.Ingress)
			if !ok {
				return nil, fmt.Errorf("the check's policy got %T", obj)
			}
			if ingress.Labels["for"] == "nobody" {
				return nil, errPolicy
			}
			return []cache.ObjectName{{Namespace: ingress.Namespace, Name: "for-" + ingress.Labels["for"]}, {Namespace: ingress.Namespace, Name: "and-" + ingress.Labels["for"]}}, nil
		},
	}
}

var errPolicy = errors.New("the check's policy says no")

// event is what a recorder was told.
type event struct {
	uid                   types.UID
	object                string
	kind, reason, message string
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

// newCheckQueue has short delays, so that a check need not wait.
func newCheckQueue() workqueue.TypedRateLimitingInterface[cache.ObjectName] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](time.Millisecond, 10*time.Millisecond))
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
	again     *againQueue
	services  cache.Indexer
	ingresses cache.Indexer
}

// againQueue keeps what a sync puts back into the queue.
type againQueue struct {
	workqueue.TypedRateLimitingInterface[cache.ObjectName]
	mu    sync.Mutex
	calls []again
}

// again is one call; after is 0 for a key that comes back at once.
type again struct {
	call  string
	key   cache.ObjectName
	after time.Duration
}

func (a again) String() string { return fmt.Sprintf("%s(%s) after %s", a.call, a.key, a.after) }

func (q *againQueue) note(call string, key cache.ObjectName, after time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls = append(q.calls, again{call, key, after})
}

func (q *againQueue) Add(key cache.ObjectName)            { q.note("Add", key, 0) }
func (q *againQueue) AddRateLimited(key cache.ObjectName) { q.note("AddRateLimited", key, 0) }

// AddAfter with a minute or more is somebody's rare second look at everything,
// which does no harm and stands in for nothing.
func (q *againQueue) AddAfter(key cache.ObjectName, after time.Duration) {
	if after < time.Minute {
		q.note("AddAfter", key, after)
	}
}

// take returns the calls since the last take.
func (q *againQueue) take() []again {
	q.mu.Lock()
	defer q.mu.Unlock()
	calls := q.calls
	q.calls = nil
	return calls
}

func newWorld(s *check.S, ns string) *world {
	rec, cfg := s.Recorder()
	byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	w := &world{
		s: s, ns: ns, rec: rec, api: s.Clientset(), events: &events{},
		services:  cache.NewIndexer(cache.MetaNamespaceKeyFunc, byNamespace),
		ingresses: cache.NewIndexer(cache.MetaNamespaceKeyFunc, byNamespace),
	}
	w.again = &againQueue{TypedRateLimitingInterface: newCheckQueue()}
	s.T().Cleanup(w.again.ShutDown)
	w.c = &Controller{
		client: clientset(s, cfg), queue: w.again, recorder: w.events, policy: checkPolicy(),
		services:  corelisters.NewServiceLister(w.services),
		ingresses: networkinglisters.NewIngressLister(w.ingresses),
		options:   Options{Domain: "example.com", Workers: 2, MaxRetry: 3},
	}
	w.c.syncHandler, w.c.nextItem = w.c.syncService, w.c.processNextItem
	return w
}

// service makes a Service on the server and in the cache.
func (w *world) service(name string, annotations map[string]string) *corev1.Service {
	created, err := w.api.CoreV1().Services(w.ns).Create(w.s.Context(), newService(w.ns, name, annotations), metav1.CreateOptions{})
	w.s.Setup(err, "create service "+name)
	created.ManagedFields = nil
	w.s.Setup(w.services.Add(created), "fill the cache")
	return created
}

// annotate changes the Service on the server and in the cache; nil removes.
func (w *world) annotate(name, patch string) *corev1.Service {
	changed, err := w.api.CoreV1().Services(w.ns).Patch(w.s.Context(), name, types.MergePatchType, []byte(`{"metadata":{"annotations":`+patch+`}}`), metav1.PatchOptions{})
	w.s.Setup(err, "change service "+name)
	changed.ManagedFields = nil
	w.s.Setup(w.services.Add(changed), "fill the cache")
	return changed
}

// ingress makes an Ingress on the server, not in the cache.
func (w *world) ingress(ingress *networkingv1.Ingress) *networkingv1.Ingress {
	created, err := w.api.NetworkingV1().Ingresses(w.ns).Create(w.s.Context(), ingress, metav1.CreateOptions{})
	w.s.Setup(err, "create ingress "+ingress.Name)
	return created
}

func (w *world) patch(name, patch string) *networkingv1.Ingress {
	changed, err := w.patchLive(name, patch)
	w.s.Setup(err, "change ingress "+name)
	return changed
}

func (w *world) patchLive(name, patch string) (*networkingv1.Ingress, error) {
	return w.api.NetworkingV1().Ingresses(w.ns).Patch(w.s.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
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
// the program's informers keep it.
func (w *world) catchUp(name string) {
	found := w.live(name)
	if found == nil {
		w.s.Setup(w.ingresses.Delete(&networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: name}}), "empty the cache")
		return
	}
	found.ManagedFields = nil
	w.s.Setup(w.ingresses.Add(found), "fill the cache")
}

// sync calls the step once, and looks whether it left the caches alone.
func (w *world) sync(name string) error {
	type kept struct {
		indexer cache.Indexer
		object  runtime.Object
	}
	var before []kept
	for _, indexer := range []cache.Indexer{w.services, w.ingresses} {
		for _, object := range indexer.List() {
			before = append(before, kept{indexer, object.(runtime.Object).DeepCopyObject()})
		}
	}
	err := w.s.Call(func(ctx context.Context) error {
		return w.c.syncService(ctx, cache.ObjectName{Namespace: w.ns, Name: name})
	})
	for _, kept := range before {
		got, exists, getErr := kept.indexer.Get(kept.object)
		w.s.Setup(getErr, "read the cache")
		w.s.Require(exists && reflect.DeepEqual(got, kept.object), fmt.Sprintf("after the sync, the cached %T is another than before: %+v, it was %+v", kept.object, got, kept.object),
			"what a lister returns is shared by all who read the cache: change a DeepCopy of it")
	}
	return err
}

// writes are the requests that change or try to change an Ingress.
func (w *world) writes() []check.Request {
	return slices.DeleteFunc(w.rec.Requests(check.Match{Resource: "ingresses"}), func(r check.Request) bool { return !isWrite(r.Verb) })
}

func isWrite(verb string) bool { return !slices.Contains([]string{"get", "list", "watch"}, verb) }

// reads are the requests that read what the listers have.
func (w *world) reads() []check.Request {
	return slices.DeleteFunc(w.rec.Requests(check.Match{}), func(r check.Request) bool {
		return isWrite(r.Verb) || r.Resource != "ingresses" && r.Resource != "services"
	})
}

// reset forgets the requests so far, and what the events were.
func (w *world) reset() {
	rec, cfg := w.s.Recorder()
	w.rec, w.c.client = rec, clientset(w.s, cfg)
	w.events.take()
	w.again.take()
}
