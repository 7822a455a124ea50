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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	networkinginformers "k8s.io/client-go/informers/networking/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.com/client-go-workshop/internal/check"
)

// keySet keeps what goes into a queue, which never gives it to anybody.
type keySet struct {
	workqueue.TypedRateLimitingInterface[cache.ObjectName]
	mu   sync.Mutex
	seen map[cache.ObjectName]int
	late string
}

func newKeySet(s *check.S) *keySet {
	q := &keySet{TypedRateLimitingInterface: newCheckQueue(), seen: map[cache.ObjectName]int{}}
	s.T().Cleanup(q.ShutDown)
	return q
}

func (q *keySet) Add(key cache.ObjectName) { q.put(key) }

// AddAfter with a short time is Add: it makes one sync of many events.
func (q *keySet) AddAfter(key cache.ObjectName, after time.Duration) {
	if after > time.Second {
		q.note(fmt.Sprintf("AddAfter(%s, %s)", key, after))
	}
	q.put(key)
}

func (q *keySet) AddRateLimited(key cache.ObjectName) {
	q.note(fmt.Sprintf("AddRateLimited(%s)", key))
	q.put(key)
}

func (q *keySet) note(call string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.late = call
}

// lateness is the last call that put a key into the queue for later, if any.
func (q *keySet) lateness() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.late
}

func (q *keySet) put(key cache.ObjectName) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seen[key]++
}

func (q *keySet) has(key cache.ObjectName) bool { return q.count(key) > 0 }

func (q *keySet) count(key cache.ObjectName) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.seen[key]
}

func (q *keySet) clear() {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(q.seen)
}

func (q *keySet) String() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	var keys []string
	for key := range q.seen {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	if len(keys) == 0 {
		return "nothing"
	}
	return strings.Join(keys, ", ")
}

// spied is an informer that keeps what NewController does to it.
type spied struct {
	cache.SharedIndexInformer
	handlers      []cache.ResourceEventHandler
	registrations []cache.ResourceEventHandlerRegistration
	started       atomic.Bool
	refuses       error
}

func (i *spied) keep(handler cache.ResourceEventHandler, registration cache.ResourceEventHandlerRegistration, err error) (cache.ResourceEventHandlerRegistration, error) {
	if i.refuses != nil {
		return nil, i.refuses
	}
	if err == nil {
		i.handlers, i.registrations = append(i.handlers, handler), append(i.registrations, registration)
	}
	return registration, err
}

func (i *spied) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := i.SharedIndexInformer.AddEventHandler(handler)
	return i.keep(handler, registration, err)
}

func (i *spied) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, period time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := i.SharedIndexInformer.AddEventHandlerWithResyncPeriod(handler, period)
	return i.keep(handler, registration, err)
}

func (i *spied) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	registration, err := i.SharedIndexInformer.AddEventHandlerWithOptions(handler, options)
	return i.keep(handler, registration, err)
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

// built is a controller that NewController made, on informers that run.
type built struct {
	s       *check.S
	ns      string
	c       *Controller
	queue   *keySet
	outages map[string]*check.Outage
	rec     *check.Recorder

	services, ingresses *spied
}

func build(s *check.S, ns string, resync time.Duration) *built {
	b := &built{s: s, ns: ns, queue: newKeySet(s), outages: map[string]*check.Outage{}}
	rec, cfg := s.Recorder()
	b.rec = rec
	for _, resource := range []string{"services", "ingresses"} {
		b.outages[resource] = rec.Outage(check.Match{Resource: resource})
	}
	client := clientset(s, cfg)
	factory := informers.NewSharedInformerFactoryWithOptions(client, resync, informers.WithNamespace(ns))
	services, ingresses := factory.Core().V1().Services(), factory.Networking().V1().Ingresses()
	b.services, b.ingresses = &spied{SharedIndexInformer: services.Informer()}, &spied{SharedIndexInformer: ingresses.Informer()}
	recorder, options := &events{}, Options{Domain: checkOwn, Workers: 3, MaxRetry: 7}
	s.Must(func(context.Context) (err error) {
		b.c, err = NewController(client, spiedServices{services, b.services}, spiedIngresses{ingresses, b.ingresses}, b.queue, recorder, checkPolicy(), options)
		return err
	})
	s.Require(b.c != nil, "NewController returned no controller and no error", "return what you have built")
	c := b.c
	s.Require(rec.Count(check.Match{}) == 0, "NewController sent requests\n"+rec.Trace(), "it only puts things together; who starts the informers is the caller")
	for name, set := range map[string]bool{
		"client": c.client == client, "queue": c.queue == b.queue, "recorder": c.recorder == recorder, "options": c.options == options,
		"services": c.services != nil, "ingresses": c.ingresses != nil,
		"policy": c.policy.Desired != nil && c.policy.NeedsChange != nil && c.policy.Keys != nil, "syncHandler": c.syncHandler != nil, "nextItem": c.nextItem != nil,
	} {
		s.Require(set, "the controller's field "+name+" is not set, or not to what NewController got", "all of the fields are needed later: a nil one panics in the first sync")
	}
	s.Require(len(c.handlers) >= 2 && !slices.Contains(c.handlers, nil), fmt.Sprintf("the controller's field handlers has %d registrations, want those of both handlers", len(c.handlers)),
		"AddEventHandler returns a registration, with which Run waits until all that the cache began with is in the queue")

	for kind, informer := range map[string]*spied{"Services": b.services, "Ingresses": b.ingresses} {
		s.Require(len(informer.handlers) > 0, "the informer of "+kind+" has no handler", "add a handler to each of the two informers that were handed in")
		kept := func(r cache.ResourceEventHandlerRegistration) bool { return slices.Contains(c.handlers, r) }
		s.Require(slices.ContainsFunc(informer.registrations, kept), "the controller's field handlers has no registration of the informer of "+kind,
			"each AddEventHandler returns a registration of its own, and Run waits for all of them: without one, workers begin before that cache is whole")
	}
	_, err := c.policy.Desired(newService(ns, "broken", map[string]string{askHost: "broken"}), options)
	s.Require(errors.Is(err, errPolicy), "the controller's field policy is not the one that NewController got", "keep what is handed in: the machinery works for other policies, too")

	ctx, stop := context.WithCancel(s.Context())
	s.T().Cleanup(stop)
	factory.StartWithContext(ctx)
	s.Setup(factory.WaitForCacheSyncWithContext(ctx).AsError(), "wait for the informers")
	s.Require(eventually(s, func() bool {
		return !slices.ContainsFunc(c.handlers, func(r cache.ResourceEventHandlerRegistration) bool { return !r.HasSynced() })
	}), "a registration in handlers never is in sync", "the registrations are those of the handlers on the two informers that were handed in")
	return b
}

func (b *built) key(name string) cache.ObjectName {
	return cache.ObjectName{Namespace: b.ns, Name: name}
}

// expect waits for the keys of what has just been done.
func (b *built) expect(what, cause string, names ...string) {
	for _, name := range names {
		b.s.Require(eventually(b.s, func() bool { return b.queue.has(b.key(name)) }),
			fmt.Sprintf("after %s, want the key %s in the queue, got %s", what, b.key(name), b.queue), cause)
	}
	late := b.queue.lateness()
	b.s.Require(late == "", fmt.Sprintf("after %s, a handler called %s, want Add", what, late), "an event is no failure and need not wait: AddRateLimited counts it as a failure of the key, so that a Service with many events comes later each time, and is given up at its first real failure")
	b.s.Require(!b.services.started.Load() && !b.ingresses.started.Load(), "NewController started an informer", "it only puts things together; who starts the informers is the caller")
	b.queue.clear()
}

func judgeHandlers(s *check.S) {
	ns := s.Namespace()
	api := s.Clientset()
	services, ingresses := api.CoreV1().Services(ns), api.NetworkingV1().Ingresses(ns)
	makeService := func(name string) {
		_, err := services.Create(s.Context(), newService(ns, name, nil), metav1.CreateOptions{})
		s.Setup(err, "create service "+name)
	}
	makeIngress := func(name, label string) {
		ingress := ingressFor(newService(ns, name, nil), name+".example.com")
		ingress.OwnerReferences, ingress.Labels = nil, map[string]string{"for": label}
		_, err := ingresses.Create(s.Context(), ingress, metav1.CreateOptions{})
		s.Setup(err, "create ingress "+name)
	}
	makeService("early")
	makeIngress("early", "early")
	b := build(s, ns, 0)
	const both = "a handler has three functions, AddFunc, UpdateFunc and DeleteFunc, and each leads to the queue"
	b.expect("the start, with a Service and an Ingress there already", "what the cache began with comes as adds: none may be passed over", "early", "for-early")
	cached, err := b.c.services.Services(ns).Get("early")
	s.Require(err == nil && cached.Name == "early", "the controller's lister of Services does not have the Service early: "+check.ErrorText(err), "Lister() belongs to the informer that was handed in")
	found, err := b.c.ingresses.Ingresses(ns).Get("early")
	s.Require(err == nil && found.Name == "early", "the controller's lister of Ingresses does not have the Ingress early: "+check.ErrorText(err), "Lister() belongs to the informer that was handed in")

	makeService("web")
	b.expect("the creation of Service web", both, "web")
	_, err = services.Patch(s.Context(), "web", types.MergePatchType, []byte(`{"metadata":{"annotations":{"ingress/http":"false"}}}`), metav1.PatchOptions{})
	s.Setup(err, "change service web")
	b.expect("a change of Service web", both+"; who looks at the new object only misses that something is gone from it", "web")
	_, err = services.Patch(s.Context(), "web", types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), metav1.PatchOptions{})
	s.Setup(err, "change service web")
	b.expect("a change of a Service that asks for no Ingress", "whether it concerns us is the sync's to find out: it may have an Ingress from before", "web")
	s.Setup(services.Delete(s.Context(), "web", metav1.DeleteOptions{}), "delete service web")
	b.expect("the deletion of Service web", both, "web")

	makeIngress("gate", "one")
	b.expect("the creation of Ingress gate", "each event of an Ingress goes through policy.Keys, and each key that it returns goes into the queue", "for-one", "and-one")
	_, err = ingresses.Patch(s.Context(), "gate", types.MergePatchType, []byte(`{"metadata":{"labels":{"for":"two"}}}`), metav1.PatchOptions{})
	s.Setup(err, "change ingress gate")
	b.expect("a change of Ingress gate that has it change hands from one to two", "an update has two objects, and both have keys: who loses the Ingress has to look as well as who gets it", "for-one", "for-two", "and-one", "and-two")
	_, err = ingresses.Patch(s.Context(), "gate", types.MergePatchType, []byte(`{"metadata":{"labels":{"for":"nobody"}}}`), metav1.PatchOptions{})
	s.Setup(err, "change ingress gate")
	b.expect("a change of Ingress gate for whose new state policy.Keys returns an error", "an error for one of the two objects must not lose the key of the other", "for-two")
	_, err = ingresses.Patch(s.Context(), "gate", types.MergePatchType, []byte(`{"metadata":{"labels":{"for":"three"}}}`), metav1.PatchOptions{})
	s.Setup(err, "change ingress gate")
	b.expect("the next change of Ingress gate", "an error of policy.Keys ends neither the handler nor the program", "for-three")
	s.Setup(ingresses.Delete(s.Context(), "gate", metav1.DeleteOptions{}), "delete ingress gate")
	b.expect("the deletion of Ingress gate", "an Ingress that somebody deletes has to come back: its deletion goes through policy.Keys as well", "for-three")

	judgeTombstones(b)
	judgeReplays(s, ns)
	judgeRefused(s, ns)
}

// judgeTombstones deletes while no watch is open.
func judgeTombstones(b *built) {
	s := b.s
	api := s.Clientset()
	const cause = "the informer found out from a new list that the object is gone, and hands the handler a cache.DeletedFinalStateUnknown: cache.DeletionHandlingObjectToName knows it, and a type assertion without a second result panics"
	s.Setup(boolError(b.outages["services"].Expire(func() error {
		return api.CoreV1().Services(b.ns).Delete(s.Context(), "early", metav1.DeleteOptions{})
	}) > 0), "cut the watch of services")
	b.expect("a deletion of Service early that no watch told of", cause, "early")
	s.Setup(boolError(b.outages["ingresses"].Expire(func() error {
		return api.NetworkingV1().Ingresses(b.ns).Delete(s.Context(), "early", metav1.DeleteOptions{})
	}) > 0), "cut the watch of ingresses")
	b.expect("a deletion of Ingress early that no watch told of", cause, "for-early")

	err := s.Call(func(context.Context) error {
		for _, handler := range b.ingresses.handlers {
			handler.OnDelete(cache.DeletedFinalStateUnknown{Key: b.ns + "/lost"})
		}
		return nil
	})
	s.Setup(err, "call the handlers of Ingresses")
	b.expect("a deletion of Ingress lost whose tombstone has no object", "hand policy.Keys what the handler gets, the tombstone itself: it has the key also where it has no object", "tomb-lost")
}

// judgeReplays looks whether a resync comes through.
func judgeReplays(s *check.S, ns string) {
	api := s.Clientset()
	_, err := api.CoreV1().Services(ns).Create(s.Context(), newService(ns, "still", nil), metav1.CreateOptions{})
	s.Setup(err, "create service still")
	ingress := ingressFor(newService(ns, "still", nil), "still.example.com")
	ingress.OwnerReferences, ingress.Labels = nil, map[string]string{"for": "still"}
	_, err = api.NetworkingV1().Ingresses(ns).Create(s.Context(), ingress, metav1.CreateOptions{})
	s.Setup(err, "create ingress still")
	b := build(s, ns, time.Second)
	for _, name := range []string{"still", "for-still"} {
		s.Require(eventually(s, func() bool { return b.queue.count(b.key(name)) >= 3 }),
			fmt.Sprintf("with a resync each second, the key %s came %d times, want it again and again", b.key(name), b.queue.count(b.key(name))),
			"a resync is an update whose two objects are the same pointer; who drops it because they are equal never looks again, nor does a handler with a resync period of its own that is 0 (AddEventHandler takes the informer's)")
	}
}

// judgeRefused has an informer take no handler, as one that has stopped does.
func judgeRefused(s *check.S, ns string) {
	for i, kind := range []string{"Services", "Ingresses"} {
		factory := informers.NewSharedInformerFactoryWithOptions(s.Clientset(), 0, informers.WithNamespace(ns))
		services, ingresses := factory.Core().V1().Services(), factory.Networking().V1().Ingresses()
		both := []*spied{{SharedIndexInformer: services.Informer()}, {SharedIndexInformer: ingresses.Informer()}}
		both[i].refuses = errRefused
		err := s.Call(func(context.Context) error {
			_, err := NewController(s.Clientset(), spiedServices{services, both[0]}, spiedIngresses{ingresses, both[1]}, newKeySet(s), &events{}, checkPolicy(), Options{Workers: 1})
			return err
		})
		s.Require(errors.Is(err, errRefused), fmt.Sprintf("the informer of %s took no handler, and NewController returned %s, want the informer's error", kind, check.ErrorText(err)), "AddEventHandler returns an error for an informer that has stopped: a controller that is deaf to half of the events looks like one that works")
	}
}

var errRefused = errors.New("the check's informer says no")

func judgeKeys(s *check.S) {
	const ns = "shop"
	owned := func(owners ...metav1.OwnerReference) *networkingv1.Ingress {
		return &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "gate", OwnerReferences: owners}}
	}
	owner := func(apiVersion, kind, name string, controller *bool) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: "x", Controller: controller}
	}
	yes := new(true)
	tombstone := func(obj any) cache.DeletedFinalStateUnknown {
		return cache.DeletedFinalStateUnknown{Key: ns + "/gate", Obj: obj}
	}
	const own = "an Ingress of the Service's name may stand in its way, or stop doing so, whoever owns it"
	for _, c := range []struct {
		what  string
		obj   any
		names []string
		cause string
	}{
		{"an Ingress without an owner", owned(), []string{"gate"}, own},
		{"an Ingress whose controller is Service web", owned(owner("v1", "Service", "web", yes)), []string{"gate", "web"}, "the owner's key is made of the Ingress's namespace and the owner's name, which need not be the Ingress's"},
		{"an Ingress whose controller is the Service of its name", owned(owner("v1", "Service", "gate", yes)), []string{"gate"}, "each key once"},
		{"an Ingress whose controller is a ConfigMap", owned(owner("v1", "ConfigMap", "web", yes)), []string{"gate"}, "only a Service is of interest"},
		{"an Ingress whose controller is a Service of Knative", owned(owner("serving.knative.dev/v1", "Service", "web", yes)), []string{"gate"}, "several APIs have a kind Service: look at the group as well as the kind"},
		{"an Ingress whose controller is a Service of vendor.example.com", owned(owner("vendor.example.com/v1", "Service", "web", yes)), []string{"gate"}, "several APIs have a kind Service, and a group may begin with a v: schema.ParseGroupVersion takes the two apart"},
		{"an Ingress that Service web owns, not as the controller", owned(owner("v1", "Service", "web", nil)), []string{"gate"}, "an object may have several owners, of which one is the controller: metav1.GetControllerOf"},
		{"an Ingress that Service web owns, with controller: false", owned(owner("v1", "Service", "web", new(false))), []string{"gate"}, "an object may have several owners, of which one is the controller: metav1.GetControllerOf"},
		{"an Ingress with two owners, the second of which is the controller, Service web", owned(owner("v1", "Service", "x", nil), owner("v1", "Service", "web", yes)), []string{"gate", "web"}, "an object may have several owners, of which one is the controller: metav1.GetControllerOf"},
		{"a tombstone with the Ingress of Service web", tombstone(owned(owner("v1", "Service", "web", yes))), []string{"gate", "web"}, "cache.DeletedFinalStateUnknown has the last known state in Obj"},
		{"a tombstone without an object", tombstone(nil), []string{"gate"}, "cache.DeletedFinalStateUnknown has the key, also where it has no object"},
		{"a tombstone with a nil Ingress", tombstone((*networkingv1.Ingress)(nil)), []string{"gate"}, "a pointer of the right type may be nil: look before you use it"},
		{"a tombstone with something else", tombstone("gate"), []string{"gate"}, "cache.DeletedFinalStateUnknown has the key, whatever the object is"},
	} {
		var got []cache.ObjectName
		err := s.Call(func(context.Context) (err error) { got, err = ServiceKeys(c.obj); return err })
		var want []cache.ObjectName
		for _, name := range c.names {
			want = append(want, cache.ObjectName{Namespace: ns, Name: name})
		}
		slices.SortFunc(got, func(a, b cache.ObjectName) int { return strings.Compare(a.String(), b.String()) })
		s.Require(err == nil && reflect.DeepEqual(got, want), fmt.Sprintf("for %s, want the keys %v, got %v and %s", c.what, want, got, check.ErrorText(err)), c.cause)
	}
	for _, obj := range []any{nil, "gate", &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "web"}}, (*networkingv1.Ingress)(nil)} {
		var got []cache.ObjectName
		err := s.Call(func(context.Context) (err error) { got, err = ServiceKeys(obj); return err })
		s.Require(err != nil, fmt.Sprintf("for %T (%v), want an error, got %v", obj, obj == nil, got), "only an Ingress and a tombstone have keys; hide no mistake of the caller's")
	}
}

// machine is a controller whose sync is the check's.
type machine struct {
	s      *check.S
	c      *Controller
	queue  *counting
	events *events
	syncs  atomic.Int64
	cache  cache.Indexer
}

// counting counts what is called.
type counting struct {
	workqueue.TypedRateLimitingInterface[cache.ObjectName]
	done, forgotten, gets atomic.Int64
}

func (q *counting) Get() (cache.ObjectName, bool) {
	q.gets.Add(1)
	return q.TypedRateLimitingInterface.Get()
}
func (q *counting) Done(key cache.ObjectName) {
	q.done.Add(1)
	q.TypedRateLimitingInterface.Done(key)
}
func (q *counting) Forget(key cache.ObjectName) {
	q.forgotten.Add(1)
	q.TypedRateLimitingInterface.Forget(key)
}

func newMachine(s *check.S, sync func(ctx context.Context, key cache.ObjectName) error) *machine {
	m := &machine{s: s, queue: &counting{TypedRateLimitingInterface: newCheckQueue()}, events: &events{},
		cache: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
	s.T().Cleanup(m.queue.ShutDown)
	m.c = &Controller{queue: m.queue, recorder: m.events, services: corelisters.NewServiceLister(m.cache), policy: checkPolicy(), options: Options{Workers: 2, MaxRetry: 3}}
	m.c.syncHandler = func(ctx context.Context, key cache.ObjectName) error {
		m.syncs.Add(1)
		return sync(ctx, key)
	}
	m.c.nextItem = m.c.processNextItem
	return m
}

// next calls the step once.
func (m *machine) next() bool {
	var more bool
	err := m.s.Call(func(ctx context.Context) (err error) {
		more, err = m.c.processNextItem(ctx)
		return err
	})
	m.s.Require(err == nil, "processNextItem returned an error: "+check.ErrorText(err), "its error ends the controller: a sync that fails is no reason for that, the key comes back")
	return more
}

// settle calls the step for as long as keys come.
func (m *machine) settle() {
	quiet := 0
	for quiet < 15 {
		if m.queue.Len() == 0 {
			quiet++
			time.Sleep(10 * time.Millisecond)
			continue
		}
		quiet = 0
		m.s.Require(m.syncs.Load() < 200, "a key that fails comes back without an end", "after options.MaxRetry retries the key is given up")
		more := m.next()
		m.s.Require(more, "processNextItem returned false, with the queue not shut down", "false ends the worker: it is for a queue that is shut down, and not for a sync that failed")
	}
}

var (
	machineKey = cache.ObjectName{Namespace: "shop", Name: "web"}
	errSync    = errors.New("the check's sync says no")
)

func judgeItem(s *check.S) {
	judgeItemSuccess(s)
	judgeItemRetry(s)
	judgeItemGiveUp(s)
	judgeItemEnd(s)
}

func judgeItemSuccess(s *check.S) {
	type ctxKey struct{}
	var m *machine
	var got cache.ObjectName
	var waiting, early int64
	var sameCtx bool
	m = newMachine(s, func(ctx context.Context, key cache.ObjectName) error {
		got, sameCtx = key, ctx.Value(ctxKey{}) != nil
		early = m.queue.done.Load()
		if m.syncs.Load() == 1 {
			m.queue.Add(key) // an event while the key is in work
			waiting = int64(m.queue.Len())
		}
		return nil
	})
	m.queue.Add(machineKey)
	var more bool
	err := s.Call(func(ctx context.Context) (err error) {
		more, err = m.c.processNextItem(context.WithValue(ctx, ctxKey{}, true))
		return err
	})
	s.Require(err == nil && more, fmt.Sprintf("after a sync without a fault, processNextItem returned %v and %s, want true and no error", more, check.ErrorText(err)), "true has the worker go on")
	s.Require(m.syncs.Load() == 1 && got == machineKey, fmt.Sprintf("after one key, c.syncHandler was called %d times, with %q, want once with %q", m.syncs.Load(), got, machineKey), "one key, one call")
	s.Require(sameCtx, "c.syncHandler got another context than processNextItem", "hand ctx on: who stops the controller stops the sync, too")
	s.Require(early == 0 && waiting == 0, "the key was done before its sync was over", "Done lets another worker have the key: a second sync of the same Service runs beside the first. defer Done")
	s.Require(m.queue.done.Load() <= 1, fmt.Sprintf("for one key, Done was called %d times, want once", m.queue.done.Load()), "between the two another worker may have got the key, and the second Done lets a third have it: two syncs of one Service run side by side")
	s.Require(m.queue.Len() == 1, fmt.Sprintf("an event came while the key was in work; after Done the queue has %d keys, want 1", m.queue.Len()), "without Done the queue thinks that the key is in work for ever, and gives it to nobody: a Service is handled once and never again")
	s.Require(m.queue.forgotten.Load() > 0, "after a sync without a fault, Forget was not called", "the failures of a key are counted until Forget; a key that is never forgotten waits ever longer, and is given up for failures that it had last month")
	m.settle()
	s.Require(m.syncs.Load() == 2, fmt.Sprintf("for two events there were %d syncs, want 2", m.syncs.Load()), "a key that is done comes back with the next event, and not by itself")
	s.Require(len(m.events.take()) == 0, "a sync without a fault made an Event", "only giving up makes one")
}

func judgeItemRetry(s *check.S) {
	failures := int64(2)
	m := newMachine(s, func(_ context.Context, _ cache.ObjectName) error { return nil })
	m.c.syncHandler = func(context.Context, cache.ObjectName) error {
		if m.syncs.Add(1) <= failures {
			return errSync
		}
		return nil
	}
	m.queue.Add(machineKey)
	m.queue.Add(cache.ObjectName{Namespace: "shop", Name: "other"})
	m.settle()
	s.Require(m.syncs.Load() == failures+2, fmt.Sprintf("2 syncs failed, of two keys; in all there were %d, want 4", m.syncs.Load()), "a key whose sync fails comes back by itself, AddRateLimited: an error that is only logged is a lost Ingress. And it comes back only once")
	s.Require(m.queue.NumRequeues(machineKey) == 0, fmt.Sprintf("after a success the queue still counts %d failures of the key", m.queue.NumRequeues(machineKey)), "Forget on success: else the next failure waits as if it were one of a long row, and the key is given up too early")
	s.Require(len(m.events.take()) == 0, "a failure that was mended by a retry made an Event", "only giving up makes one")

	for _, failure := range []error{context.DeadlineExceeded, context.Canceled, apierrors.NewNotFound(corev1.Resource("namespaces"), "shop")} {
		n := newMachine(s, nil)
		n.c.syncHandler = func(context.Context, cache.ObjectName) error {
			if n.syncs.Add(1) == 1 {
				return fmt.Errorf("sync service %s: %w", machineKey, failure)
			}
			return nil
		}
		n.queue.Add(machineKey)
		n.settle()
		s.Require(n.syncs.Load() == 2, fmt.Sprintf("a sync failed with %q while ctx had not ended, and was called %d times in all, want 2", failure, n.syncs.Load()), "whether we are stopping, ctx.Err() knows and the error does not: one request may have had a deadline of its own. And what was not found need not be the Service")
	}

	// More failures in all than MaxRetry, but never in a row.
	for range 3 {
		failures = m.syncs.Load() + 2
		m.queue.Add(machineKey)
		m.settle()
		s.Require(m.syncs.Load() == failures+1, fmt.Sprintf("after failures that were mended, a key failed again twice and was tried %d times, want 3", m.syncs.Load()-failures+2), "the failures of a key count since its last success")
	}
}

func judgeItemGiveUp(s *check.S) {
	for _, known := range []bool{true, false} {
		for _, limit := range []int{3, 0} {
			m := newMachine(s, func(context.Context, cache.ObjectName) error { return errSync })
			m.c.options.MaxRetry = limit
			service := newService("shop", "web", nil)
			if known {
				s.Setup(m.cache.Add(service), "fill the cache")
			}
			m.queue.Add(machineKey)
			m.settle()
			want := int64(limit + 1)
			s.Require(m.syncs.Load() == want, fmt.Sprintf("a sync that always fails, with MaxRetry %d, was called %d times, want %d", limit, m.syncs.Load(), want), "the first try and options.MaxRetry retries, NumRequeues counts them; then the key is given up")
			s.Require(m.queue.NumRequeues(machineKey) == 0, fmt.Sprintf("after giving up, the queue still counts %d failures of the key", m.queue.NumRequeues(machineKey)), "Forget it when you give up: the next change of the Service begins anew")
			warned := warningsOf(m.events.take())
			if known {
				s.Require(len(warned) == 1 && warned[0].uid == service.UID, fmt.Sprintf("after giving up, want one Warning Event on the Service, got %s", describeEvents(warned)), "nobody reads the log of a controller: tell those who look at the Service, c.warn")
				s.Require(strings.Contains(warned[0].message, errSync.Error()), "the Warning after giving up says "+describeEvents(warned)+", and not what went wrong", "the error's text belongs in the message")
			} else {
				s.Require(len(warned) == 0, "a Service that is gone got "+describeEvents(warned), "there is nobody to tell when the lister has no such Service")
			}
			m.queue.Add(machineKey)
			m.settle()
			s.Require(m.syncs.Load() == 2*want, fmt.Sprintf("after giving up and a new event, there were %d tries more, want %d", m.syncs.Load()-want, want), "a key that was given up begins anew with the next event")
		}
	}
}

func judgeItemEnd(s *check.S) {
	m := newMachine(s, func(context.Context, cache.ObjectName) error { return nil })
	m.queue.ShutDown()
	more := m.next()
	s.Require(!more, "with the queue shut down, processNextItem returned true", "Get's second result says that the queue is shut down: a worker that goes on runs in circles")
	s.Require(m.syncs.Load() == 0, "with the queue shut down, c.syncHandler was called", "the key that comes with shutdown is none")

	m = newMachine(s, func(ctx context.Context, _ cache.ObjectName) error { return fmt.Errorf("stopped: %w", ctx.Err()) })
	m.c.options.MaxRetry = 0
	s.Setup(m.cache.Add(newService("shop", "web", nil)), "fill the cache")
	m.queue.Add(machineKey)
	err := s.Call(func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		_, err := m.c.processNextItem(ctx)
		return err
	})
	s.Require(err == nil, "with a ctx that has ended, processNextItem returned "+check.ErrorText(err), "stopping is no error")
	s.Require(m.queue.done.Load() == m.queue.gets.Load(), fmt.Sprintf("a sync failed because ctx had ended, and after %d Get there were %d Done", m.queue.gets.Load(), m.queue.done.Load()), "in any case tell the queue that you are done: who drains it waits for every key in work")
	s.Require(len(m.events.take()) == 0, "a sync failed because ctx had ended, and a Warning Event says that it was given up", "who stops the controller is no failure of the Service: the next start takes it up")
}

// switchable is a registration that is in sync when the check says so.
type switchable struct{ done chan struct{} }

func newSwitchable() *switchable { return &switchable{done: make(chan struct{})} }

func (r *switchable) HasSynced() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}
func (r *switchable) HasSyncedChecker() cache.DoneChecker { return r }
func (r *switchable) Name() string                        { return "the check's handler" }
func (r *switchable) Done() <-chan struct{}               { return r.done }

// runner is Run in the background.
type runner struct {
	s       *check.S
	c       *Controller
	handler [2]*switchable
	stop    context.CancelFunc
	result  chan error
	// inside counts the workers in nextItem, calls all calls of it.
	inside, most, calls atomic.Int64
}

func (r *runner) enter() {
	r.calls.Add(1)
	n := r.inside.Add(1)
	for most := r.most.Load(); n > most && !r.most.CompareAndSwap(most, n); most = r.most.Load() {
	}
}

func newRunner(s *check.S, workers int, item func(ctx context.Context, r *runner) (bool, error)) *runner {
	r := &runner{s: s, handler: [2]*switchable{newSwitchable(), newSwitchable()}, result: make(chan error, 1)}
	queue := newCheckQueue()
	s.T().Cleanup(queue.ShutDown)
	r.c = &Controller{queue: queue, recorder: &events{}, options: Options{Workers: workers, MaxRetry: 3},
		handlers: []cache.ResourceEventHandlerRegistration{r.handler[0], r.handler[1]}}
	r.c.syncHandler = func(context.Context, cache.ObjectName) error { return nil }
	r.c.nextItem = func(ctx context.Context) (bool, error) {
		r.enter()
		defer r.inside.Add(-1)
		return item(ctx, r)
	}
	return r
}

// during runs Run, and calls do beside it. Run must have returned soon after do has.
func (r *runner) during(do func()) error {
	ctx, stop := context.WithCancel(r.s.Context())
	defer stop()
	r.stop = stop
	go func() { r.result <- r.c.Run(ctx) }()
	do()
	return r.s.Call(func(context.Context) error { return <-r.result })
}

// takeItem waits for keys as processNextItem does.
func takeItem(_ context.Context, r *runner) (bool, error) {
	key, shutdown := r.c.queue.Get()
	if shutdown {
		return false, nil
	}
	r.c.queue.Done(key)
	return true, nil
}

func judgeRun(s *check.S) {
	var r *runner
	var err error
	for _, workers := range []int{0, -1} {
		r = newRunner(s, workers, takeItem)
		close(r.handler[0].done)
		close(r.handler[1].done)
		err = s.Call(r.c.Run)
		s.Require(err != nil, fmt.Sprintf("with %d workers, Run returned no error", workers), "nothing would ever be done, and nobody would hear of it")
	}

	for i := range r.handler {
		r = newRunner(s, 3, takeItem)
		err = r.during(func() {
			close(r.handler[i].done)
			time.Sleep(400 * time.Millisecond)
			s.Require(r.calls.Load() == 0, fmt.Sprintf("one of the two handlers is not in sync, and a worker began (%d calls)", r.calls.Load()),
				"before both are in sync the caches are not whole, and a worker takes what is not there yet for what is not there: wait for every registration in handlers, and look whether the wait succeeded")
			r.stop()
		})
		s.Require(err == nil, "ctx ended before the handlers were in sync, and Run returned "+check.ErrorText(err), "stopping is no error")
		s.Require(r.calls.Load() == 0, "ctx ended before the handlers were in sync, and a worker began after that", "a wait that ends because ctx has ended is no sync: look at its result")
		s.Require(r.c.queue.ShuttingDown(), "ctx ended before the handlers were in sync, and the queue is not shut down", "defer ShutDown: the queue has goroutines of its own")
	}
	judgeWorkers(s)
	judgeRunEnd(s)
}

func judgeWorkers(s *check.S) {
	for _, workers := range []int{1, 4} {
		r := newRunner(s, workers, func(ctx context.Context, r *runner) (bool, error) { <-ctx.Done(); return false, nil })
		err := r.during(func() {
			close(r.handler[0].done)
			close(r.handler[1].done)
			s.Require(eventually(s, func() bool { return r.inside.Load() == int64(workers) }), fmt.Sprintf("with options.Workers %d, %d workers work side by side", workers, r.inside.Load()),
				"one goroutine for each worker, as many as options.Workers says, once the handlers are in sync")
			time.Sleep(50 * time.Millisecond)
			r.stop()
		})
		s.Require(err == nil, "ctx ended, and Run returned "+check.ErrorText(err), "stopping is no error")
		s.Require(r.most.Load() == int64(workers), fmt.Sprintf("with options.Workers %d, there were %d", workers, r.most.Load()), "one goroutine for each worker, as many as options.Workers says")
	}
}

func judgeRunEnd(s *check.S) {
	// Workers that wait for a key, as the real ones do.
	r := newRunner(s, 3, takeItem)
	err := r.during(func() {
		close(r.handler[0].done)
		close(r.handler[1].done)
		s.Setup(boolError(eventually(s, func() bool { return r.inside.Load() > 0 }) || r.calls.Load() > 0), "see a worker begin")
		r.stop()
	})
	s.Require(err == nil, "ctx ended while the workers waited for keys, and Run returned "+check.ErrorText(err), "stopping is no error")
	s.Require(r.inside.Load() == 0, fmt.Sprintf("Run has returned, and %d workers still run", r.inside.Load()), "wait for them: a sync that outlives Run may write after another replica has begun to lead")

	// A worker in the middle of a sync.
	over := atomic.Bool{}
	r = newRunner(s, 2, func(ctx context.Context, r *runner) (bool, error) {
		<-ctx.Done()
		time.Sleep(300 * time.Millisecond)
		over.Store(true)
		return false, nil
	})
	var after bool
	err = r.during(func() {
		close(r.handler[0].done)
		close(r.handler[1].done)
		s.Require(eventually(s, func() bool { return r.inside.Load() > 0 }), "with both handlers in sync, no worker began", "the workers begin once the handlers are in sync")
		r.stop()
		select {
		case err := <-r.result:
			after = over.Load() && r.inside.Load() == 0
			r.result <- err
		case <-time.After(10 * time.Second):
		}
	})
	s.Require(err == nil && after, "Run returned ("+check.ErrorText(err)+") while a sync was running", "shut the queue down, then wait for every worker, and only then return")
	s.Require(r.c.queue.ShuttingDown(), "Run has returned, and the queue is not shut down", "workers that wait in Get never look at ctx: only ShutDown wakes them")

	r = newRunner(s, 3, nil)
	first := atomic.Bool{}
	r.c.nextItem = func(ctx context.Context) (bool, error) {
		r.enter()
		defer r.inside.Add(-1)
		if first.CompareAndSwap(false, true) {
			eventually(s, func() bool { return r.inside.Load() == 3 })
			return false, errSync
		}
		defer time.Sleep(300 * time.Millisecond) // in the middle of a sync
		return takeItem(ctx, r)
	}
	err = r.during(func() {
		close(r.handler[0].done)
		close(r.handler[1].done)
		select {
		case err := <-r.result:
			r.result <- err
		case <-time.After(10 * time.Second):
			s.Fail("a worker returned an error, and Run goes on", "an error of a worker ends the others as well, and is returned: a controller with fewer workers than it thinks, or none, is worse than one that ends")
		}
	})
	s.Require(errors.Is(err, errSync), "a worker returned an error, and Run "+check.ErrorText(err), "an error of a worker ends the others as well, and is returned: a controller with fewer workers than it thinks, or none, is worse than one that ends")
	s.Require(r.inside.Load() == 0, fmt.Sprintf("a worker returned an error, Run has returned, and %d workers still run", r.inside.Load()), "shut the queue down and wait for the others")
}
