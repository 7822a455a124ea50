package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	networkinginformers "k8s.io/client-go/informers/networking/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/check"
)

func TestStep3_ServiceKeys(t *testing.T) { check.Step(t, 3, "ServiceKeys", judgeKeys) }

func TestStep4_NewController(t *testing.T) {
	check.Step(t, 4, "NewController", func(s *check.S) {
		ns := s.Namespace()
		h := build(s, ns, 0)
		judgeFirstList(h)
		judgeServiceEvents(h)
		judgeIngressEvents(h)
		judgeTombstones(h)
		judgeResync(s, ns)
		judgeDeafInformer(s, ns)
	})
}

const gateOwn = "an Ingress of the Service's name may stand in its way, or stop doing so, whoever owns it"
const gateController = "an object may have several owners, of which one is the controller: metav1.GetControllerOf"

func judgeKeys(s *check.S) {
	const ns = "shop"
	owned := func(owners ...metav1.OwnerReference) *networkingv1.Ingress {
		return &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "gate", OwnerReferences: owners}}
	}
	controller := func(apiVersion, kind, name string) *networkingv1.Ingress {
		return owned(ownerRef(apiVersion, kind, name, "x"))
	}
	web := ownerRef("v1", "Service", "web", "x")
	plain, no := web, web
	plain.Controller, no.Controller = nil, new(false)
	other := plain
	other.Name = "x"
	tombstone := func(obj any) any { return cache.DeletedFinalStateUnknown{Key: ns + "/gate", Obj: obj} }
	for _, c := range []struct {
		what        string
		obj         any
		want, cause string
	}{
		{"an Ingress without an owner", owned(), "gate", gateOwn},
		{"an Ingress whose controller is Service web", owned(web), "gate web",
			"the owner's key is made of the Ingress's namespace and the owner's name, which need not be the Ingress's"},
		{"an Ingress whose controller is the Service of its name", controller("v1", "Service", "gate"), "gate", "each key once"},
		{"an Ingress whose controller is a ConfigMap", controller("v1", "ConfigMap", "web"), "gate", "only a Service is of interest"},
		{"an Ingress whose controller is a Service of Knative", controller("serving.knative.dev/v1", "Service", "web"), "gate",
			"several APIs have a kind Service: look at the group as well as the kind"},
		{"an Ingress whose controller is a Service of vendor.example.com", controller("vendor.example.com/v1", "Service", "web"), "gate",
			"several APIs have a kind Service, and a group may begin with a v: schema.ParseGroupVersion takes the two apart"},
		{"an Ingress that Service web owns, not as the controller", owned(plain), "gate", gateController},
		{"an Ingress that Service web owns, with controller: false", owned(no), "gate", gateController},
		{"an Ingress with two owners, the second of which is the controller, Service web", owned(other, web), "gate web", gateController},
		{"a tombstone with the Ingress of Service web", tombstone(owned(web)), "gate web",
			"cache.DeletedFinalStateUnknown has the last known state in Obj"},
		{"a tombstone without an object", tombstone(nil), "gate", "cache.DeletedFinalStateUnknown has the key, also where it has no object"},
		{"a tombstone with a nil Ingress", tombstone((*networkingv1.Ingress)(nil)), "gate",
			"a pointer of the right type may be nil: look before you use it"},
		{"a tombstone with something else", tombstone("gate"), "gate", "cache.DeletedFinalStateUnknown has the key, whatever the object is"},
	} {
		got, err := serviceKeys(s, c.obj)
		var want []string
		for _, name := range strings.Fields(c.want) {
			want = append(want, ns+"/"+name)
		}
		s.Requiref(err == nil && slices.Equal(got, want), c.cause, "for %s, want the keys %v, got %v and %s", c.what, want, got,
			check.ErrorText(err))
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "web"}}
	for _, obj := range []any{nil, "gate", service, (*networkingv1.Ingress)(nil)} {
		got, err := serviceKeys(s, obj)
		s.Requiref(err != nil, "only an Ingress and a tombstone have keys; hide no mistake of the caller's", "for %T (%v), want an error, got %v",
			obj, obj == nil, got)
	}
}

// serviceKeys calls the step, and sorts what it returns.
func serviceKeys(s *check.S, obj any) ([]string, error) {
	keys, err := check.Call(s, func(context.Context) ([]cache.ObjectName, error) { return ServiceKeys(obj) })
	var names []string
	for _, key := range keys {
		names = append(names, key.String())
	}
	slices.Sort(names)
	return names, err
}

// spied is an informer that keeps what NewController does to it.
type spied struct {
	cache.SharedIndexInformer
	handlers      []cache.ResourceEventHandler
	registrations []registration
	started       atomic.Bool
	refuses       error
}

// registration shortens the signatures of three methods.
type registration = cache.ResourceEventHandlerRegistration

func (i *spied) AddEventHandler(handler cache.ResourceEventHandler) (registration, error) {
	return i.AddEventHandlerWithOptions(handler, cache.HandlerOptions{})
}

func (i *spied) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, period time.Duration) (registration, error) {
	return i.AddEventHandlerWithOptions(handler, cache.HandlerOptions{ResyncPeriod: &period})
}

func (i *spied) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, options cache.HandlerOptions) (registration, error) {
	if i.refuses != nil {
		return nil, i.refuses
	}
	added, err := i.SharedIndexInformer.AddEventHandlerWithOptions(handler, options)
	if err == nil {
		i.handlers, i.registrations = append(i.handlers, handler), append(i.registrations, added)
	}
	return added, err
}

func (i *spied) Run(stop <-chan struct{}) { i.RunWithContext(wait.ContextForChannel(stop)) }

// RunWithContext starts nothing: the factory's own informer is not spied on.
func (i *spied) RunWithContext(ctx context.Context) {
	i.started.Store(true)
	<-ctx.Done()
}

type spiedServices struct {
	coreinformers.TypedServiceInformer
	informer *spied
}

func (i spiedServices) Informer() cache.SharedIndexInformer { return i.TypedInformer() }

func (i spiedServices) TypedInformer() coreinformers.ServiceIndexInformer {
	return cache.NewTypedSharedIndexInformer[*corev1.Service](i.informer)
}

type spiedIngresses struct {
	networkinginformers.TypedIngressInformer
	informer *spied
}

func (i spiedIngresses) Informer() cache.SharedIndexInformer { return i.TypedInformer() }

func (i spiedIngresses) TypedInformer() networkinginformers.IngressIndexInformer {
	return cache.NewTypedSharedIndexInformer[*networkingv1.Ingress](i.informer)
}

// handled is a controller that NewController made, on informers that run.
type handled struct {
	s        *check.S
	ns       string
	c        *Controller
	client   kubernetes.Interface
	recorder *events
	options  Options
	queue    *recordedQueue
	rec      *check.Recorder
	factory  informers.SharedInformerFactory
	outages  map[string]*check.Outage

	services  spiedServices
	ingresses spiedIngresses
}

func build(s *check.S, ns string, resync time.Duration) *handled {
	h := prepare(s, ns, resync)
	h.c = check.Must(s, "controller", func(context.Context) (*Controller, error) { return h.call() })
	h.judgeFields()
	ctx, stop := context.WithCancel(s.Context())
	s.T().Cleanup(stop)
	h.factory.StartWithContext(ctx)
	s.Setup(h.factory.WaitForCacheSyncWithContext(ctx).AsError(), "wait for the informers")
	waits := func(r registration) bool { return !r.HasSynced() }
	s.Require(s.Eventually(func() bool { return !slices.ContainsFunc(h.c.handlers, waits) }), "a registration in handlers never is in sync",
		"the registrations are those of the handlers on the two informers that were handed in")
	return h
}

// prepare has all that NewController needs, and nothing started.
func prepare(s *check.S, ns string, resync time.Duration) *handled {
	rec, cfg := s.Recorder()
	h := &handled{s: s, ns: ns, rec: rec, client: s.ClientsetFor(cfg), queue: newQueueOf(s, true), recorder: &events{},
		outages: map[string]*check.Outage{},
		options: Options{Domain: "check.example.com", IngressClass: "check", MaxRetry: 7}}
	for _, resource := range []string{"services", "ingresses"} {
		h.outages[resource] = rec.Outage(check.Match{Resource: resource})
	}
	h.factory = informers.NewSharedInformerFactoryWithOptions(h.client, resync, informers.WithNamespace(ns))
	services, ingresses := h.factory.Core().V1().Services(), h.factory.Networking().V1().Ingresses()
	h.services = spiedServices{services, &spied{SharedIndexInformer: services.Informer()}}
	h.ingresses = spiedIngresses{ingresses, &spied{SharedIndexInformer: ingresses.Informer()}}
	return h
}

func (h *handled) call() (*Controller, error) {
	return NewController(h.client, h.services, h.ingresses, h.queue, h.recorder, h.options)
}

// judgeFields looks at what NewController returned before anything has happened.
func (h *handled) judgeFields() {
	s, c := h.s, h.c
	s.Require(h.rec.Count(check.Match{}) == 0, "NewController sent requests\n"+h.rec.Trace(), "it only puts things together; who starts the "+
		"informers is the caller")
	for name, set := range map[string]bool{
		"client": c.client == h.client, "queue": c.queue == h.queue, "recorder": c.recorder == h.recorder, "options": c.options == h.options,
		"serviceLister": c.serviceLister != nil, "ingressLister": c.ingressLister != nil, "syncHandler": c.syncHandler != nil,
	} {
		s.Require(set, "the controller's field "+name+" is not set, or not to what NewController got", "all of the fields are needed later: a "+
			"nil one panics in the first sync")
	}
	s.Requiref(len(c.handlers) >= 2 && !slices.Contains(c.handlers, nil), "AddEventHandler returns a registration, with which Run waits "+
		"until all that the cache began with is in the queue", "the controller's field handlers has %d registrations, want those of both "+
		"handlers", len(c.handlers))
	for kind, informer := range map[string]*spied{"Services": h.services.informer, "Ingresses": h.ingresses.informer} {
		s.Require(len(informer.handlers) > 0, "the informer of "+kind+" has no handler", "add a handler to each of the two informers that were "+
			"handed in")
		kept := func(r registration) bool { return slices.Contains(c.handlers, r) }
		s.Require(slices.ContainsFunc(informer.registrations, kept), "the controller's field handlers has no registration of the informer of "+
			""+kind, "each AddEventHandler returns a registration of its own, and Run waits for all of them: without one, workers begin before "+
			"that cache is whole")
	}
}

func (h *handled) key(name string) cache.ObjectName {
	return cache.ObjectName{Namespace: h.ns, Name: name}
}

// times is how often the key of this name was added.
func (h *handled) times(name string) int {
	return len(slices.DeleteFunc(h.queue.seen("Add", "AddAfter", "AddRateLimited"), func(c call) bool { return c.key != h.key(name) }))
}

// expect waits for the keys of what has just been done.
func (h *handled) expect(what, cause string, names ...string) {
	for _, name := range names {
		h.s.Requiref(h.s.Eventually(func() bool { return h.times(name) > 0 }), cause, "after %s, want the key %s in the queue, got %v", what,
			h.key(name), h.queue.added())
	}
	// AddAfter with a short time is Add: it makes one sync of many events.
	late := slices.DeleteFunc(h.queue.seen("AddAfter", "AddRateLimited"),
		func(c call) bool { return c.name == "AddAfter" && c.after <= time.Second })
	h.s.Requiref(len(late) == 0, "an event is no failure and need not wait: AddRateLimited counts it as a failure, so that a key with many "+
		"events comes later each time, and is given up at its first real failure", "after %s, a handler called %v, want Add", what, late)
	h.s.Require(!h.services.informer.started.Load() && !h.ingresses.informer.started.Load(), "NewController started an informer",
		"it only puts things together; who starts the informers is the caller")
	h.queue.clear()
}

// service makes a Service, and waits for its event.
func (h *handled) service(name string) *corev1.Service {
	created, err := h.s.Clientset().CoreV1().Services(h.ns).Create(h.s.Context(), newService(h.ns, name, nil), metav1.CreateOptions{})
	h.s.Setup(err, "create service "+name)
	h.expect("the creation of Service "+name, bothLead, name)
	return created
}

// ingress makes an Ingress of this owner.
func (h *handled) ingress(name string, owner *corev1.Service) {
	ingress := ingressFor(newService(h.ns, name, nil), name+".example.com")
	ingress.OwnerReferences = []metav1.OwnerReference{ownerRef("v1", "Service", owner.Name, owner.UID)}
	_, err := h.s.Clientset().NetworkingV1().Ingresses(h.ns).Create(h.s.Context(), ingress, metav1.CreateOptions{})
	h.s.Setup(err, "create ingress "+name)
}

func (h *handled) patchService(name, patch string) {
	_, err := h.s.Clientset().CoreV1().Services(h.ns).Patch(h.s.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	h.s.Setup(err, "change service "+name)
}

func (h *handled) patchIngress(name, patch string) {
	_, err := h.s.Clientset().NetworkingV1().Ingresses(h.ns).Patch(h.s.Context(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{})
	h.s.Setup(err, "change ingress "+name)
}

func (h *handled) deleteService(name string) error {
	return h.s.Clientset().CoreV1().Services(h.ns).Delete(h.s.Context(), name, metav1.DeleteOptions{})
}

func (h *handled) deleteIngress(name string) error {
	return h.s.Clientset().NetworkingV1().Ingresses(h.ns).Delete(h.s.Context(), name, metav1.DeleteOptions{})
}

const bothLead = "a handler has three functions, AddFunc, UpdateFunc and DeleteFunc, and each leads to the queue"

// judgeFirstList looks at a second controller, for which everything is there already.
func judgeFirstList(h *handled) {
	s := h.s
	h.service("first")
	h.ingress("first-gate", h.service("first-owner"))
	later := build(s, h.ns, 0)
	later.expect("the start, with a Service and an Ingress there already", "what the cache began with comes as adds: none may be passed over",
		"first", "first-gate")
	const cause = "Lister() belongs to the informer that was handed in"
	cached, err := later.c.serviceLister.Services(h.ns).Get("first")
	s.Require(err == nil && cached.Name == "first", "the controller's lister of Services does not have the Service first: "+
		""+""+check.ErrorText(err), cause)
	found, err := later.c.ingressLister.Ingresses(h.ns).Get("first-gate")
	s.Require(err == nil && found.Name == "first-gate", "the controller's lister of Ingresses does not have the Ingress first-gate: "+
		""+""+check.ErrorText(err), cause)
}

func judgeServiceEvents(h *handled) {
	h.service("web")
	h.patchService("web", `{"metadata":{"annotations":{"ingress/http":"false"}}}`)
	h.expect("a change of Service web", bothLead+"; who looks at the new object only misses that something is gone from it", "web")
	h.patchService("web", `{"metadata":{"labels":{"x":"y"}}}`)
	h.expect("a change of a Service that asks for no Ingress", "whether it concerns us is the sync's to find out: it may have an Ingress "+
		"from before", "web")
	h.s.Setup(h.deleteService("web"), "delete service web")
	h.expect("the deletion of Service web", bothLead, "web")
}

func judgeIngressEvents(h *handled) {
	one, two := h.service("one"), h.service("two")
	h.ingress("gate", one)
	h.expect("the creation of Ingress gate", "each event of an Ingress goes through ServiceKeys, and each key that it returns goes into "+
		"the queue", "one", "gate")
	h.patchIngress("gate", `{"metadata":{"labels":{"x":"y"}}}`)
	h.expect("a change of Ingress gate", bothLead, "one", "gate")
	h.patchIngress("gate", fmt.Sprintf(
		`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Service","name":"two","uid":%q,"controller":true}]}}`, two.UID))
	h.expect("a change of Ingress gate that has it change hands from one to two",
		"an update has two objects, and both have keys: who loses the Ingress has to look as well as who gets it", "one", "two", "gate")
	h.s.Setup(h.deleteIngress("gate"), "delete ingress gate")
	h.expect("the deletion of Ingress gate", "an Ingress that somebody deletes has to come back: its deletion goes through ServiceKeys as "+
		"well", "two", "gate")
}

// judgeTombstones deletes while no watch is open.
func judgeTombstones(h *handled) {
	s := h.s
	h.service("early-too")
	h.ingress("early-gate", h.service("early"))
	h.expect("the creation of Ingress early-gate", bothLead, "early", "early-gate")
	const cause = "the informer found out from a new list that the object is gone, and hands the handler a cache.DeletedFinalStateUnknown: " +
		"cache.DeletionHandlingObjectToName knows it, and a type assertion without a second result panics"
	s.Setup(boolError(h.outages["services"].Expire(func() error { return h.deleteService("early-too") }) > 0), "cut the watch of services")
	h.expect("a deletion of Service early-too that no watch told of", cause, "early-too")
	s.Setup(boolError(h.outages["ingresses"].Expire(func() error { return h.deleteIngress("early-gate") }) > 0), "cut the watch of ingresses")
	h.expect("a deletion of Ingress early-gate that no watch told of", cause, "early", "early-gate")

	for name, key := range map[string]string{"lost": h.ns + "/lost", "": "a/key/that/is/none"} {
		s.Must(func(context.Context) error {
			for _, handler := range h.ingresses.informer.handlers {
				handler.OnDelete(cache.DeletedFinalStateUnknown{Key: key})
			}
			return nil
		})
		if name != "" {
			h.expect("a deletion of Ingress lost whose tombstone has no object",
				"hand ServiceKeys what the handler gets, the tombstone itself: it has the key also where it has no object", name)
		}
	}
	h.service("still-there")
}

// judgeResync looks whether a resync comes through.
func judgeResync(s *check.S, ns string) {
	h := build(s, ns, time.Second)
	h.service("still")
	h.ingress("still-gate", h.service("still-owner"))
	for _, name := range []string{"still", "still-gate"} {
		s.Requiref(s.Eventually(func() bool { return h.times(name) >= 3 }), "a resync is an update whose two objects are the same pointer; who "+
			"drops it because they are equal never looks again, nor does a handler with a resync period of its own that is 0 (AddEventHandler "+
			"takes the informer's)", "with a resync each second, the key %s came %d times, want it again and again", h.key(name), h.times(name))
	}
}

var errRefused = errors.New("the check's informer says no")

// judgeDeafInformer has an informer take no handler, as one that has stopped does.
func judgeDeafInformer(s *check.S, ns string) {
	for _, kind := range []string{"Services", "Ingresses"} {
		h := prepare(s, ns, 0)
		map[string]*spied{"Services": h.services.informer, "Ingresses": h.ingresses.informer}[kind].refuses = errRefused
		_, err := check.Call(s, func(context.Context) (*Controller, error) { return h.call() })
		s.Requiref(errors.Is(err, errRefused), "AddEventHandler returns an error for an informer that has stopped: a controller that is deaf "+
			"to half of the events looks like one that works", "the informer of %s took no handler, and NewController returned %s, want the "+
			"informer's error", kind, check.ErrorText(err))
	}
}
