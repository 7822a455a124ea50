package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.com/client-go-workshop/internal/check"
)

var podRequests = check.Match{Resource: "pods"}

func clientset(s *check.S, cfg *rest.Config) kubernetes.Interface {
	client, err := kubernetes.NewForConfig(cfg)
	s.Setup(err, "build a client")
	return client
}

// newFactory is the check's own: a step is judged whether or not step 1 is written.
func newFactory(s *check.S, cfg *rest.Config, ns string) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(clientset(s, cfg), 0, informers.WithNamespace(ns))
}

// start starts the factory as part of the check's preparation, waits for the
// caches and the handlers, and stops it when the step is judged.
func start(s *check.S, factory informers.SharedInformerFactory, handlers ...cache.ResourceEventHandlerRegistration) {
	ctx, stop := context.WithCancel(s.Context())
	s.T().Cleanup(stop)
	factory.StartWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, check.CallTimeout)
	defer cancel()
	s.Setup(factory.WaitForCacheSyncWithContext(deadline).AsError(), "wait for the informers")
	for _, handler := range handlers {
		if !cache.WaitFor(deadline, "", handler.HasSyncedChecker()) {
			s.Setup(context.Cause(deadline), "wait for the handler")
		}
	}
}

// eventually waits until ok is true, and reports whether it came to that.
func eventually(s *check.S, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(s.Context(), 15*time.Second)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			return ok()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
}

func patchPod(s *check.S, ns, name, patch string, subresources ...string) *corev1.Pod {
	pod, err := s.Clientset().CoreV1().Pods(ns).Patch(s.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
	s.Setup(err, "patch pod "+name)
	return pod
}

// deletePod removes a pod at once: it runs nowhere, so there is nothing to wait for.
func deletePod(s *check.S, ns, name string) error {
	return s.Clientset().CoreV1().Pods(ns).Delete(s.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
}

// lines is a writer that several goroutines may use.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// all are the lines with one space between two words.
func (l *lines) all() []string {
	var out []string
	for line := range strings.Lines(l.String()) {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return out
}

func TestStep1_NewFactory(t *testing.T) {
	check.Step(t, 1, "NewFactory", func(s *check.S) {
		ns, elsewhere := s.Namespace(), s.Namespace()
		full := check.PendingPod("web", map[string]string{"app": "web"})
		full.Annotations = map[string]string{"example.com/note": "keep me", corev1.LastAppliedConfigAnnotation: "{}"}
		full.Finalizers = []string{"workshop.example.com/hold"}
		s.CreatePod(ns, full)
		s.CreatePod(elsewhere, check.PendingPod("decoy", nil))
		_, err := s.Clientset().CoreV1().ConfigMaps(ns).Create(s.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"colour": "blue"},
		}, metav1.CreateOptions{})
		s.Setup(err, "create a ConfigMap")

		rec, cfg := s.Recorder()
		client := clientset(s, cfg)
		factory := makeFactory(s, client, ns, 0)
		s.Require(rec.Count(check.Match{}) == 0, "NewFactory made a request\n"+rec.Trace(), "a factory is made without asking the server; starting its informers is step 3")
		time.Sleep(100 * time.Millisecond)
		ctx, stop := context.WithCancel(s.Context())
		defer stop()
		factory.StartWithContext(ctx)
		none := factory.WaitForCacheSyncWithContext(ctx)
		s.Require(len(none.Synced) == 0 && rec.Count(check.Match{}) == 0,
			fmt.Sprintf("before anybody asked for an informer, the factory already has %v\n%s", none.Synced, rec.Trace()),
			"Informer(), TypedInformer() and Lister() ask for an informer; leave that to those who need one")

		judgeStripped(s, rec, factory, ns)
		judgeTransform(s, makeFactory(s, client, ns, 0))
		judgeResync(s, client, ns)

		var made informers.SharedInformerFactory
		err = s.Call(func(context.Context) (err error) {
			made, err = NewFactory(client, "", 0)
			return err
		})
		s.Require(err != nil, fmt.Sprintf("for the empty namespace, want an error, got a factory (%v) and no error", made != nil),
			"informers.WithNamespace(\"\") means all namespaces; the task wants an error for it")
	})
}

func makeFactory(s *check.S, client kubernetes.Interface, ns string, resync time.Duration) informers.SharedInformerFactory {
	var factory informers.SharedInformerFactory
	s.Must(func(context.Context) (err error) {
		factory, err = NewFactory(client, ns, resync)
		return err
	})
	s.Require(factory != nil, "NewFactory returned no factory and no error", "the factory is not returned")
	return factory
}

// judgeStripped compares what the factory's informers keep with what the API has.
func judgeStripped(s *check.S, rec *check.Recorder, factory informers.SharedInformerFactory, ns string) {
	api := s.Clientset().CoreV1()
	pods, maps := factory.Core().V1().Pods(), factory.Core().V1().ConfigMaps()
	var handed atomic.Int64 // managedFields that a handler saw
	registration, err := pods.TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod) { handed.Add(int64(len(pod.ManagedFields))) },
		UpdateFunc: func(_, pod *corev1.Pod) { handed.Add(int64(len(pod.ManagedFields))) },
	})
	s.Setup(err, "add a handler")
	maps.Informer()
	const reason = "WithTransform(f) has f called with every object that an informer of the factory is about to keep"
	start(s, factory, registration)

	for _, req := range rec.Requests(check.Match{}) {
		s.Require(req.Namespace == ns, fmt.Sprintf("the informers asked for %s, want namespace %s only\n%s", req.Path, ns, rec.Trace()),
			"informers.WithNamespace limits the factory to one namespace; without it, it is all of them")
	}
	cached, err := pods.Lister().Pods(ns).Get("web")
	s.Require(err == nil, fmt.Sprintf("pod %s/web exists, and the informer has: %s\n%s", ns, check.ErrorText(err), rec.Trace()), "a transform that returns an error, or nothing, loses the object")
	want, err := api.Pods(ns).Get(s.Context(), "web", metav1.GetOptions{})
	s.Setup(err, "get pod web")
	s.Require(len(want.ManagedFields) > 0, "the check's own pod has no managedFields", "this is a fault of the check")
	s.Require(len(cached.ManagedFields) == 0, fmt.Sprintf("the cached pod web has %d managedFields, want none", len(cached.ManagedFields)), "no transform is set, or it does not remove them: "+reason)
	want.ManagedFields = nil
	judgeSame(s, "pod web", cached, want)

	cachedMap, err := maps.Lister().ConfigMaps(ns).Get("settings")
	s.Require(err == nil, "the informer for ConfigMaps does not have settings: "+check.ErrorText(err), "the transform gets every kind, not only pods; it must not refuse or drop a ConfigMap")
	wantMap, err := api.ConfigMaps(ns).Get(s.Context(), "settings", metav1.GetOptions{})
	s.Setup(err, "get ConfigMap settings")
	s.Require(len(cachedMap.ManagedFields) == 0, fmt.Sprintf("the cached ConfigMap settings has %d managedFields, want none", len(cachedMap.ManagedFields)),
		"the transform looks at pods only: meta.Accessor gives the metadata of an object of any kind")
	wantMap.ManagedFields = nil
	judgeSame(s, "ConfigMap settings", cachedMap, wantMap)

	// A change goes through the transform as well.
	changed := patchPod(s, ns, "web", `{"metadata":{"labels":{"stage":"two"}}}`)
	s.Setup(boolError(eventually(s, func() bool {
		cached, err = pods.Lister().Pods(ns).Get("web")
		return err == nil && cached.ResourceVersion == changed.ResourceVersion
	})), "see its change of pod web in the informer")
	s.Require(len(cached.ManagedFields) == 0 && handed.Load() == 0,
		fmt.Sprintf("after a change, the cached pod web has %d managedFields, and handlers saw %d", len(cached.ManagedFields), handed.Load()), reason)
	changed.ManagedFields = nil
	judgeSame(s, "pod web", cached, changed)
}

// judgeTransform hands the factory's transform what has no metadata.
func judgeTransform(s *check.S, factory informers.SharedInformerFactory) {
	kept := &transformKeeper{}
	factory.InformerFor(&corev1.Pod{}, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return kept })
	if kept.transform == nil {
		return
	}
	tombstone := cache.DeletedFinalStateUnknown{Key: "shop/web"}
	var got any
	err := s.Call(func(context.Context) (err error) {
		got, err = kept.transform(tombstone)
		return err
	})
	s.Require(err == nil && reflect.DeepEqual(got, tombstone), fmt.Sprintf("for a cache.DeletedFinalStateUnknown, the transform returned %#v and %s", got, check.ErrorText(err)),
		"it has no metadata: return it unchanged, without an error. An error loses what the informer was about to tell")
}

// transformKeeper is an informer that only remembers its transform.
type transformKeeper struct {
	cache.SharedIndexInformer
	transform cache.TransformFunc
}

func (k *transformKeeper) SetTransform(transform cache.TransformFunc) error {
	k.transform = transform
	return nil
}

func judgeSame(s *check.S, what string, got, want metav1.Object) {
	if reflect.DeepEqual(got, want) {
		return
	}
	for _, field := range []struct {
		name      string
		got, want any
	}{
		{"labels", got.GetLabels(), want.GetLabels()},
		{"annotations", got.GetAnnotations(), want.GetAnnotations()},
		{"finalizers", got.GetFinalizers(), want.GetFinalizers()},
		{"uid", got.GetUID(), want.GetUID()},
		{"resourceVersion", got.GetResourceVersion(), want.GetResourceVersion()},
		{"creationTimestamp", got.GetCreationTimestamp(), want.GetCreationTimestamp()},
	} {
		s.Require(reflect.DeepEqual(field.got, field.want), fmt.Sprintf("the cached %s has %s %v, the API has %v", what, field.name, field.got, field.want),
			"the transform removes more than metadata.managedFields; what it drops is lost to every reader, and an update from the cache deletes it")
	}
	s.Fail(fmt.Sprintf("the cached %s is not what the API has, beside managedFields:\n%+v\nwant\n%+v", what, got, want),
		"the transform removes or changes more than metadata.managedFields")
}

// judgeResync looks whether the factory replays what it has, and only when asked to.
func judgeResync(s *check.S, client kubernetes.Interface, ns string) {
	replays := func(resync time.Duration) (*atomic.Int64, informers.SharedInformerFactory) {
		factory := makeFactory(s, client, ns, resync)
		var n atomic.Int64
		_, err := factory.Core().V1().Pods().TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{
			UpdateFunc: func(before, after *corev1.Pod) {
				if before.ResourceVersion == after.ResourceVersion {
					n.Add(1)
				}
			},
		})
		s.Setup(err, "add a handler")
		start(s, factory)
		return &n, factory
	}
	never, _ := replays(0)
	often, _ := replays(time.Second)
	s.Require(eventually(s, func() bool { return often.Load() >= 1 }), fmt.Sprintf("with resync 1s, a handler saw %d replays of pod web", often.Load()),
		"resync is the second argument of NewSharedInformerFactoryWithOptions")
	s.Require(never.Load() == 0, fmt.Sprintf("with resync 0, a handler saw %d replays of pod web", never.Load()), "0 means no resync: pass it on as it is")
}

func boolError(ok bool) error {
	if ok {
		return nil
	}
	return errors.New("it did not happen in time")
}

func TestStep2_PrintPods(t *testing.T) {
	check.Step(t, 2, "PrintPods", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("first", nil))
		rec, cfg := s.Recorder()
		outage := rec.Outage(podRequests)
		factory := newFactory(s, cfg, ns)
		pods := factory.Core().V1().Pods()
		out := &lines{}
		registration := printPods(s, pods, out)
		s.Require(rec.Count(check.Match{}) == 0, "PrintPods made a request\n"+rec.Trace(), "adding a handler asks the server for nothing; starting is step 3")
		start(s, factory, registration)

		added := "added " + ns + "/"
		expect := func(what string, want []string, cause string) {
			eventually(s, func() bool { return len(out.all()) >= len(want) && strings.HasSuffix(out.String(), "\n") })
			got := out.all()
			s.Require(slices.Equal(got, want), fmt.Sprintf("%s, the lines are\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  ")), lineCause(got, want, cause))
		}
		want := []string{added + "first Pending"}
		expect("a pod was there at the start", want, "AddFunc is called for each pod of the first list, too")

		s.CreatePod(ns, check.PendingPod("web", nil))
		want = append(want, added+"web Pending")
		expect("pod web was created", want, "")
		patchPod(s, ns, "web", `{"status":{"phase":"Running"}}`, "status")
		want = append(want, "updated "+ns+"/web Running")
		expect("pod web went from Pending to Running", want, "UpdateFunc gets the old and the new pod: print the new one's status")
		patchPod(s, ns, "web", `{"metadata":{"finalizers":["workshop.example.com/hold"]}}`)
		want = append(want, "updated "+ns+"/web Running")
		expect("pod web got a finalizer", want, "each update is a line, whatever changed")
		judgeCacheLeft(s, pods.Lister(), ns, "first", "web")
		s.Setup(deletePod(s, ns, "web"), "delete pod web")
		want = append(want, "updated "+ns+"/web Terminating")
		expect("the deletion of pod web began, and a finalizer holds it", want, "the pod is still there: this is an update, and podStatus says Terminating")
		patchPod(s, ns, "web", `{"metadata":{"finalizers":null}}`)
		want = append(want, "deleted "+ns+"/web")
		expect("pod web is gone", want, "FinalStateUnknown is nil where the informer saw the deletion itself")

		// A deletion that nobody sees.
		s.Require(outage.Expire(func() error { return deletePod(s, ns, "first") }) > 0, "the informer has no watch open any more\n"+rec.Trace(), "the handler must not stop the informer")
		want = append(want, "deleted "+ns+"/first missed")
		expect("the watch broke, pod first was deleted meanwhile, and the informer found out from a new list", want,
			"a deletion that the informer did not see itself comes with FinalStateUnknown set (untyped: as a cache.DeletedFinalStateUnknown in place of the pod)")

		judgeRegistration(s, pods, registration, ns, out)
		judgeUnknown(s, ns)
		judgeStoppedInformer(s)
	})
}

// judgeCacheLeft compares pods in the cache, which the handler was given, with what the server has.
func judgeCacheLeft(s *check.S, pods corelisters.PodLister, ns string, names ...string) {
	for _, name := range names {
		want, err := s.Clientset().CoreV1().Pods(ns).Get(s.Context(), name, metav1.GetOptions{})
		s.Setup(err, "get pod "+name)
		got, err := pods.Pods(ns).Get(name)
		s.Setup(err, "read pod "+name+" from the cache")
		s.Require(got.ResourceVersion != want.ResourceVersion || reflect.DeepEqual(got, want), fmt.Sprintf("pod %s in the cache is not what the server has:\n%+v\nwant\n%+v", name, got, want), handedOutCause)
	}
}

const handedOutCause = "a handler gets the cached object itself, which every reader shares: change a DeepCopy, never the object"

func printPods(s *check.S, pods coreinformers.TypedPodInformer, out *lines) cache.ResourceEventHandlerRegistration {
	var registration cache.ResourceEventHandlerRegistration
	s.Must(func(context.Context) (err error) {
		registration, err = PrintPods(pods, out)
		return err
	})
	s.Require(registration != nil, "PrintPods returned no registration and no error", "AddTypedEventHandler returns it; without it nobody can wait for the handler or remove it")
	return registration
}

func lineCause(got, want []string, cause string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	line := func(all []string) string {
		if i < len(all) {
			return all[i]
		}
		return "no line"
	}
	text := fmt.Sprintf("want %q, got %q", line(want), line(got))
	if cause != "" {
		text += ": " + cause
	}
	return text
}

// judgeRegistration removes the handler with what PrintPods returned.
func judgeRegistration(s *check.S, pods coreinformers.TypedPodInformer, registration cache.ResourceEventHandlerRegistration, ns string, out *lines) {
	s.Setup(cache.ShutDownEventHandler(pods.Informer(), registration), "remove the handler")
	before := len(out.all())
	s.CreatePod(ns, check.PendingPod("later", nil))
	s.Setup(boolError(eventually(s, func() bool {
		_, err := pods.Lister().Pods(ns).Get("later")
		return err == nil
	})), "see pod later in the informer")
	time.Sleep(50 * time.Millisecond)
	s.Require(len(out.all()) == before, fmt.Sprintf("after the handler was removed, it printed %q", out.all()[before:]), "return the registration of this very handler")
}

// judgeUnknown has the handler hear of a deletion of which only the key is known,
// and of a resync.
func judgeUnknown(s *check.S, ns string) {
	out := &lines{}
	fake := &fakeInformer{}
	s.Must(func(context.Context) error {
		_, err := PrintPods(fake, out)
		return err
	})
	s.Require(fake.handler != nil, "PrintPods added no handler to the informer that it was given", "pods.TypedInformer().AddTypedEventHandler(...)")
	err := s.Call(func(context.Context) error {
		fake.handler.OnDelete(cache.DeletedFinalStateUnknown{Key: ns + "/lost"})
		return nil
	})
	s.Setup(err, "call the handler")
	want := "deleted " + ns + "/lost missed"
	s.Require(slices.Equal(out.all(), []string{want}), fmt.Sprintf("for a deletion of which the informer knows only the key %s/lost, the lines are %q, want %q", ns, out.all(), want),
		"OptionalObj is nil then: GetKey, GetObjectName, GetName and GetNamespace of DeletedObject work in any case")

	pod := namedPod(ns, "same", "1", "uid-1")
	err = s.Call(func(context.Context) error {
		fake.handler.OnUpdate(pod, pod)
		return nil
	})
	s.Setup(err, "call the handler")
	s.Require(slices.Equal(out.all(), []string{want, "updated " + ns + "/same Running"}), fmt.Sprintf("an update of pod %s/same came with two objects of the same resourceVersion, and the lines are %q", ns, out.all()),
		"a resync is an event too, and each event is a line: dropping it is step 6")
}

// fakeInformer keeps the handler that is added to it.
type fakeInformer struct {
	coreinformers.TypedPodInformer
	cache.SharedIndexInformer
	handler cache.ResourceEventHandler
}

func (f *fakeInformer) Informer() cache.SharedIndexInformer { return f }
func (f *fakeInformer) TypedInformer() coreinformers.PodIndexInformer {
	return cache.NewTypedSharedIndexInformer[*corev1.Pod](f)
}

func (f *fakeInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	f.handler = handler
	return &fakeRegistration{}, nil
}

func (f *fakeInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandler(handler)
}

func (f *fakeInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandler(handler)
}

type fakeRegistration struct {
	cache.ResourceEventHandlerRegistration
}

// judgeStoppedInformer adds the handler to an informer that has stopped.
func judgeStoppedInformer(s *check.S) {
	factory := newFactory(s, s.Config(), "default")
	pods := factory.Core().V1().Pods()
	pods.Informer()
	ctx, stop := context.WithCancel(s.Context())
	stop()
	factory.StartWithContext(ctx)
	factory.Shutdown()
	err := s.Call(func(context.Context) error {
		_, err := PrintPods(pods, &lines{})
		return err
	})
	s.Require(err != nil, "the informer had stopped, and PrintPods returned no error", "AddTypedEventHandler returns an error for an informer that has stopped: return it, wrapped with %w")
}

func TestStep3_StartPods(t *testing.T) {
	check.Step(t, 3, "StartPods", func(s *check.S) {
		ns := s.Namespace()
		for _, name := range []string{"a", "b", "c"} {
			s.CreatePod(ns, check.PendingPod(name, nil))
		}
		judgeStart(s, ns)
		judgeHandlerSync(s, ns)
		judgePassingError(s, ns)
		judgeForbidden(s, ns)
		judgeSilence(s, ns)
	})
}

// startPods calls StartPods with a context that ends with the judgement.
func startPods(s *check.S, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) (context.CancelFunc, error) {
	ctx, stop := context.WithCancel(s.Context())
	s.T().Cleanup(stop)
	err := s.CallWithin(timeout+15*time.Second, func(context.Context) error {
		return StartPods(ctx, factory, timeout, handlers...)
	})
	return stop, err
}

func judgeStart(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	factory := newFactory(s, cfg, ns)
	maps := factory.Core().V1().ConfigMaps().Informer() // another user of the factory
	_, err := startPods(s, factory, 15*time.Second)
	s.Require(err == nil, fmt.Sprintf("StartPods returned an error: %v\n%s", err, rec.Trace()), check.CauseOf(err))
	pods := factory.Core().V1().Pods()
	cached := pods.Informer().GetStore().ListKeys()
	time.Sleep(200 * time.Millisecond) // a start that was not waited for may send its request now
	s.Require(rec.Count(podRequests) > 0, "StartPods returned nil, and no request for pods was sent\n"+rec.Trace(),
		"a factory starts the informers that somebody has asked for by then: call factory.Core().V1().Pods().Informer() first, then start")
	s.Require(len(cached) == 3, fmt.Sprintf("StartPods returned nil, and the cache holds %d of 3 pods\n%s", len(cached), rec.Trace()),
		"the start itself does not wait, and a wait before the start has nothing to wait for: start, then wait until the informer has synced, and look at what the wait returns")
	s.Require(rec.Count(check.Match{Verb: "watch", Resource: "pods"}) <= 1 && rec.Count(check.Match{Verb: "list", Resource: "pods"}) <= 1,
		"want one watch of pods, and one list before it at the most\n"+rec.Trace(), "one informer from the factory is enough: a second one, or a list of your own, asks for everything again")

	s.Require(eventually(s, maps.HasSynced), "somebody else had asked the factory for ConfigMaps, and that informer was not started\n"+rec.Trace(),
		"start the factory, which starts all its informers, and not the pod informer alone: the factory's waits and its Shutdown do not know of one that you run")

	s.CreatePod(ns, check.PendingPod("later", nil))
	s.Require(eventually(s, func() bool { return len(pods.Informer().GetStore().ListKeys()) == 4 }),
		"a pod was created after StartPods had returned, and the cache does not get it\n"+rec.Trace(),
		"the informers were started with the context of the wait, whose end is the end of the informers: start them with ctx, and wait with another context that has the deadline")
	s.Setup(deletePod(s, ns, "later"), "delete pod later")
}

// judgeHandlerSync has handlers that lag behind the cache.
func judgeHandlerSync(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	factory := newFactory(s, cfg, ns)
	pods := factory.Core().V1().Pods()
	release := make(chan struct{})
	var seen atomic.Int64
	quick := slowHandler(s, pods, nil, &atomic.Int64{})
	slow := slowHandler(s, pods, release, &seen)
	var returned, early atomic.Bool
	go func() {
		eventually(s, pods.Informer().HasSynced)
		time.Sleep(300 * time.Millisecond)
		early.Store(returned.Load())
		close(release)
	}()
	_, err := startPods(s, factory, 15*time.Second, quick, slow)
	at := seen.Load()
	returned.Store(true)
	s.Require(err == nil, fmt.Sprintf("StartPods returned an error: %v\n%s", err, rec.Trace()), check.CauseOf(err))
	eventually(s, func() bool { return seen.Load() > 0 })
	s.Require(!early.Load() && at == 3, fmt.Sprintf("StartPods returned nil when a handler had seen %d of 3 pods, while it was still busy with the first", at),
		"the cache in sync is not the handlers in sync, which work in goroutines of their own: wait for each registration's HasSyncedChecker (or HasSynced), too")

	// A handler that does not come to an end.
	factory = newFactory(s, s.Config(), ns)
	hold := make(chan struct{})
	defer close(hold)
	stuck := slowHandler(s, factory.Core().V1().Pods(), hold, &atomic.Int64{})
	stop, err := startPods(s, factory, time.Second, stuck)
	stop()
	s.Require(err != nil, "a handler hung, and StartPods returned no error when timeout was over", "the result of the wait for the handlers is dropped: cache.WaitFor returns false when the time is over")
	s.Require(errors.Is(err, context.DeadlineExceeded), fmt.Sprintf("a handler hung until timeout was over, and errors.Is(err, context.DeadlineExceeded) is false: %v", err),
		"wrap the reason why the wait ended, context.Cause(ctx), with %w")
}

func slowHandler(s *check.S, pods coreinformers.TypedPodInformer, release <-chan struct{}, seen *atomic.Int64) cache.ResourceEventHandlerRegistration {
	registration, err := pods.TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{AddFunc: func(*corev1.Pod) {
		if release != nil {
			<-release
		}
		seen.Add(1)
	}})
	s.Setup(err, "add a handler")
	return registration
}

// judgeForbidden has a user without any rights, whose first list fails for another reason.
func judgeForbidden(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + ns + ":default"}
	rec.Answer(check.Match{Verb: "list", Resource: "pods"}, 0, 1, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	factory := newFactory(s, cfg, ns)
	stop, err := startPods(s, factory, 4*time.Second)
	stop()
	s.Require(err != nil, "the server forbids to list pods, and StartPods returned no error\n"+rec.Trace(),
		"the result of the wait is dropped: WaitForCacheSyncWithContext(ctx).AsError(), or the false of WaitForCacheSync, says that the cache is not in sync")
	s.Require(apierrors.IsForbidden(err) || !apierrors.IsInternalError(err), fmt.Sprintf("the first list was answered with 500, the next with 403, and the error is the first: %v\n%s", err, rec.Trace()),
		"what stands in the way in the end is the last error: keep that one, and not the first")
	s.Require(apierrors.IsForbidden(err), fmt.Sprintf("the server forbids to list pods, and apierrors.IsForbidden is false for the error: %v\n%s", err, rec.Trace()),
		"\"not in time\" helps nobody: keep the last error that SetWatchErrorHandlerWithContext tells you of, and wrap it with %w")
}

// judgePassingError answers the first requests with 500.
func judgePassingError(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	rec.Answer(podRequests, 0, 2, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	factory := newFactory(s, cfg, ns)
	stop, err := startPods(s, factory, 15*time.Second)
	s.Require(err == nil, fmt.Sprintf("the first two requests were answered with 500, the others would have succeeded, and StartPods returned: %v\n%s", err, rec.Trace()),
		"an informer tries again by itself: one error is not the end, as long as the time is not over")
	s.Require(len(factory.Core().V1().Pods().Informer().GetStore().ListKeys()) == 3, "StartPods returned nil before the cache was filled\n"+rec.Trace(), "a pause is no wait: ask the informer whether it has synced")
	stop()
}

// judgeSilence has a server that does not answer.
func judgeSilence(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	rec.Delay(podRequests, check.Always, time.Minute)
	factory := newFactory(s, cfg, ns)
	stop, err := startPods(s, factory, time.Second)
	stop()
	s.Require(err != nil, "the server did not answer until timeout was over, and StartPods returned no error", "the cache is not filled: this must be an error, the caller would work with an empty cache")
	s.Require(errors.Is(err, context.DeadlineExceeded), fmt.Sprintf("the server did not answer until timeout was over, and errors.Is(err, context.DeadlineExceeded) is false: %v", err), "wrap the reason why the wait ended with %w")

	rec, cfg = s.Recorder()
	rec.Delay(podRequests, check.Always, time.Minute)
	factory = newFactory(s, cfg, ns)
	ctx, stop := context.WithCancel(s.Context())
	defer stop()
	go func() {
		eventually(s, func() bool { return rec.Count(podRequests) > 0 })
		stop()
	}()
	err = s.Call(func(context.Context) error { return StartPods(ctx, factory, time.Minute) })
	s.Require(errors.Is(err, context.Canceled), fmt.Sprintf("ctx was cancelled during the wait; want an error for which errors.Is(err, context.Canceled) is true, got %s", check.ErrorText(err)),
		"the context of the wait must come from ctx, and its reason must be wrapped with %w")
}

func TestStep4_ReadPods(t *testing.T) {
	check.Step(t, 4, "ReadPods", func(s *check.S) {
		ns, elsewhere := s.Namespace(), s.Namespace()
		for name, app := range map[string]string{"web-c": "web", "web-a": "web", "db-b": "db", "web-b": "web"} {
			pod := check.PendingPod(name, map[string]string{"app": app})
			pod.Annotations = map[string]string{"example.com/note": "cached"}
			s.CreatePod(ns, pod)
		}
		s.CreatePod(elsewhere, check.PendingPod("web-z", map[string]string{"app": "web"}))
		rec, cfg := s.Recorder()
		factory := informers.NewSharedInformerFactory(clientset(s, cfg), 0) // of all namespaces
		all := factory.Core().V1().Pods().Lister()
		start(s, factory)
		before := map[string]*corev1.Pod{}
		for _, key := range factory.Core().V1().Pods().Informer().GetStore().ListKeys() {
			if namespace, name, err := cache.SplitMetaNamespaceKey(key); err == nil && namespace == ns {
				pod, err := all.Pods(ns).Get(name)
				s.Setup(err, "read pod "+name)
				before[name] = pod.DeepCopy()
			}
		}
		// An informer that lists first opens its watch a moment after it is in sync.
		s.Setup(boolError(eventually(s, func() bool { return rec.Count(check.Match{Verb: "watch"}) > 0 })), "see the informer's watch")
		sent := rec.Count(check.Match{})
		read := func(selector string) ([]*corev1.Pod, error) {
			var pods []*corev1.Pod
			err := s.Call(func(context.Context) (err error) {
				pods, err = ReadPods(all.Pods(ns), selector)
				return err
			})
			return pods, err
		}
		untouched := func(what, cause string) {
			for name, want := range before {
				got, err := all.Pods(ns).Get(name)
				s.Setup(err, "read pod "+name)
				s.Require(reflect.DeepEqual(got, want), fmt.Sprintf("%s, pod %s in the cache is not what it was:\n%+v\nwant\n%+v", what, name, got.ObjectMeta, want.ObjectMeta), cause)
			}
		}

		for _, tc := range []struct {
			selector string
			want     []string
			cause    string
		}{
			{"", []string{"db-b", "web-a", "web-b", "web-c"}, "the empty selector matches everything: labels.Parse(\"\") and labels.Everything() do, labels.Nothing() does not"},
			{"app=web", []string{"web-a", "web-b", "web-c"}, "the selector is not used"},
			{"app notin (web)", []string{"db-b"}, "labels.Parse knows the whole language of selectors: =, !=, in, notin, exists"},
			{"app=none", nil, "no match is an empty list"},
		} {
			pods, err := read(tc.selector)
			s.Require(err == nil, fmt.Sprintf("with the selector %q, ReadPods returned an error: %v", tc.selector, err), tc.cause)
			names := podNames(pods)
			sorted := slices.Sorted(slices.Values(names))
			s.Require(slices.Equal(sorted, tc.want), fmt.Sprintf("with the selector %q, ReadPods returned %v, want %v", tc.selector, names, tc.want), tc.cause)
			s.Require(slices.Equal(names, tc.want), fmt.Sprintf("with the selector %q, ReadPods returned %v, want them sorted by name", tc.selector, names), "a lister's order is that of a Go map: any")
			for _, pod := range pods {
				s.Require(reflect.DeepEqual(pod, before[pod.Name]), fmt.Sprintf("the returned pod %s is not what the cache holds:\n%+v\nwant\n%+v", pod.Name, pod, before[pod.Name]), "return whole copies: DeepCopy")
			}
			untouched("after a call with the selector "+tc.selector, "cached objects are shared: change a copy, never the object that a lister returned")
			for _, pod := range pods {
				pod.Labels["app"] = "changed by the caller"
				pod.Annotations["example.com/note"] = "changed by the caller"
				pod.Spec.Containers[0].Image = "changed"
				pod.Status.Phase = corev1.PodFailed
			}
			untouched("after the caller changed what ReadPods had returned",
				"what a lister returns is the cached object itself, and a copy of the struct shares its maps and slices: return pod.DeepCopy()")
		}

		pods, err := read("")
		s.Require(err == nil && len(pods) == len(before), fmt.Sprintf("the selector \"\" was asked for again, and ReadPods returned %v and %s", podNames(pods), check.ErrorText(err)), keptCause)
		for _, pod := range pods {
			s.Require(reflect.DeepEqual(pod, before[pod.Name]), fmt.Sprintf("the selector \"\" was asked for again, and the returned pod %s is not what the cache holds:\n%+v\nwant\n%+v", pod.Name, pod, before[pod.Name]), keptCause)
		}

		_, err = read("app in web")
		s.Require(err != nil, "for the selector \"app in web\", which cannot be parsed, ReadPods returned no error", "the error of labels.Parse is dropped")
		s.Require(rec.Count(check.Match{}) == sent, "ReadPods made a request\n"+rec.Trace(), "the lister has it all")
	})
}

const keptCause = "what an earlier call returned was kept, and its caller has changed it: ask the lister each time"

func podNames(pods []*corev1.Pod) []string {
	var names []string
	for _, pod := range pods {
		if pod == nil {
			names = append(names, "<nil>")
			continue
		}
		names = append(names, pod.Name)
	}
	return names
}

func TestStep5_KeyHandler(t *testing.T) {
	check.Step(t, 5, "KeyHandler", func(s *check.S) {
		queue := workqueue.NewTyped[cache.ObjectName]()
		defer queue.ShutDown()
		handler := keyHandler(s, queue)
		pod := namedPod("shop", "web", "1", "uid-1")
		ending := namedPod("shop", "web", "2", "uid-1")
		ending.DeletionTimestamp, ending.Status.Phase = new(metav1.Now()), corev1.PodSucceeded
		key := cache.NewObjectName("shop", "web")
		const each = "the handler hands on the key at each event, and judges none: what it means is for those who take the key out"
		for _, tc := range []struct {
			what  string
			news  func()
			cause string
		}{
			{"an add", func() { handler.OnAdd(pod, false) }, ""},
			{"an add of the initial list", func() { handler.OnAdd(pod, true) }, ""},
			{"an update", func() { handler.OnUpdate(pod, namedPod("shop", "web", "2", "uid-1")) }, ""},
			{"an update without a change, which is a resync,", func() { handler.OnUpdate(pod, pod) }, each},
			{"an update to a state that has ended and is being deleted", func() { handler.OnUpdate(pod, ending) }, each},
			{"a delete", func() { handler.OnDelete(coreinformers.DeletedPod{OptionalObj: pod}) }, ""},
			{"a delete that was missed", func() { handler.OnDelete(missed("shop/web", pod)) }, ""},
			{"a delete of which only the key is known", func() { handler.OnDelete(missed("shop/web", nil)) }, ""},
		} {
			untouched := keepPods(s, tc.what, pod)
			callHandler(s, tc.what, tc.news)
			untouched()
			got := drain(queue)
			cause := "add, update and delete are handled alike: each adds the key, and DeletedObject.GetObjectName gives it also where the pod is not known"
			if len(got) == 0 && tc.cause != "" {
				cause = tc.cause
			}
			if len(got) == 1 && got[0].Namespace == "" {
				cause = "the key has no namespace: cache.MetaObjectToName gives both parts"
			}
			s.Require(slices.Equal(got, []cache.ObjectName{key}), fmt.Sprintf("after %s of pod shop/web, the queue holds %v, want shop/web once", tc.what, got), cause)
		}
		callHandler(s, "three updates", func() {
			for i := range 3 {
				handler.OnUpdate(pod, namedPod("shop", "web", fmt.Sprint(i), "uid-1"))
			}
			handler.OnAdd(namedPod("shop", "db", "1", "uid-2"), false)
			handler.OnAdd(namedPod("other", "web", "1", "uid-3"), false)
		})
		got := drain(queue)
		s.Require(slices.Equal(got, []cache.ObjectName{key, cache.NewObjectName("shop", "db"), cache.NewObjectName("other", "web")}),
			fmt.Sprintf("after three updates of shop/web and an add of shop/db and of other/web, the queue holds %v", got),
			"the key is namespace and name: cache.MetaObjectToName; the queue itself keeps a key once")

		err := s.Call(func(context.Context) error {
			_, err := KeyHandler(nil)
			return err
		})
		s.Require(err != nil, "for a nil queue, KeyHandler returned no error", "a handler without a queue would panic at the first event, in the informer's goroutine")
		judgeKeysLive(s)
	})
}

func keyHandler(s *check.S, queue workqueue.TypedInterface[cache.ObjectName]) cache.TypedResourceEventHandler[*corev1.Pod] {
	var handler cache.TypedResourceEventHandler[*corev1.Pod]
	s.Must(func(context.Context) (err error) {
		handler, err = KeyHandler(queue)
		return err
	})
	s.Require(handler != nil, "KeyHandler returned no handler and no error", "the handler is not returned")
	return handler
}

// callHandler calls a handler and has a panic be the step's fault.
func callHandler(s *check.S, what string, news func()) {
	err := s.Call(func(context.Context) error {
		news()
		return nil
	})
	s.Setup(err, "tell the handler of "+what)
}

func drain(queue workqueue.TypedInterface[cache.ObjectName]) []cache.ObjectName {
	var keys []cache.ObjectName
	for queue.Len() > 0 {
		key, _ := queue.Get()
		keys = append(keys, key)
		queue.Done(key)
	}
	return keys
}

func namedPod(namespace, name, resourceVersion, uid string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, ResourceVersion: resourceVersion, UID: types.UID(uid),
			Labels:        map[string]string{"app": name},
			Annotations:   map[string]string{"example.com/version": resourceVersion},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "check"}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Message: "as of " + resourceVersion},
	}
}

// keepPods remembers the pods, and judges later whether a handler has left them as they are.
func keepPods(s *check.S, what string, pods ...*corev1.Pod) (untouched func()) {
	var before []*corev1.Pod
	for _, pod := range pods {
		before = append(before, pod.DeepCopy())
	}
	return func() {
		for i, pod := range pods {
			s.Require(reflect.DeepEqual(pod, before[i]), fmt.Sprintf("%s changed the pod that it was told of:\n%+v\nwant\n%+v", what, pod, before[i]), handedOutCause)
		}
	}
}

func missed(key string, pod *corev1.Pod) coreinformers.DeletedPod {
	unknown := &cache.DeletedFinalStateUnknown{Key: key}
	if pod != nil {
		unknown.Obj = pod
	}
	return coreinformers.DeletedPod{OptionalObj: pod, FinalStateUnknown: unknown}
}

// judgeKeysLive has the handler on a real informer, and reads the cache when the key comes out.
func judgeKeysLive(s *check.S) {
	ns := s.Namespace()
	s.CreatePod(ns, check.PendingPod("web", nil))
	rec, cfg := s.Recorder()
	outage := rec.Outage(podRequests)
	factory := newFactory(s, cfg, ns)
	pods := factory.Core().V1().Pods()
	queue := workqueue.NewTyped[cache.ObjectName]()
	defer queue.ShutDown()
	registration, err := pods.TypedInformer().AddTypedEventHandler(keyHandler(s, queue))
	s.Setup(err, "add the handler")
	start(s, factory, registration)
	key := cache.NewObjectName(ns, "web")
	s.Require(slices.Equal(drain(queue), []cache.ObjectName{key}), "a pod was there at the start, and its key is not in the queue", "an add hands the key over")
	outage.Expire(func() error { return deletePod(s, ns, "web") })
	s.Require(eventually(s, func() bool { return queue.Len() > 0 }), "the watch broke, pod web was deleted meanwhile, and its key did not come to the queue\n"+rec.Trace(),
		"a deletion that was missed is a deletion")
	s.Require(slices.Equal(drain(queue), []cache.ObjectName{key}), "the key of the pod that was deleted during a gap is wrong", "DeletedObject.GetObjectName")
}

// heard keeps what a handler is told.
type heard struct {
	mu   sync.Mutex
	news []string
	pods []*corev1.Pod
	last coreinformers.DeletedPod
}

func (h *heard) add(text string, pods ...*corev1.Pod) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.news = append(h.news, text)
	h.pods = append(h.pods, pods...)
}

func (h *heard) OnAdd(pod *corev1.Pod, initial bool) {
	text := "add " + pod.Name
	if initial {
		text += " (initial)"
	}
	h.add(text, pod)
}

func (h *heard) OnUpdate(before, after *corev1.Pod) { h.add("update "+after.Name, before, after) }

func (h *heard) OnDelete(pod coreinformers.DeletedPod) {
	h.add("delete "+pod.GetName(), pod.OptionalObj)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = pod
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.news)
}

func TestStep6_ChangesOnly(t *testing.T) {
	check.Step(t, 6, "ChangesOnly", func(s *check.S) {
		first := namedPod("shop", "web", "10", "uid-1")
		second := namedPod("shop", "web", "11", "uid-1")
		older := namedPod("shop", "web", "9", "uid-1")
		another := namedPod("shop", "web", "12", "uid-2")
		versionOnly := first.DeepCopy()
		versionOnly.ResourceVersion = "13"
		for _, tc := range []struct {
			what  string
			tell  func(cache.TypedResourceEventHandler[*corev1.Pod])
			news  []string
			pods  []*corev1.Pod
			cause string
		}{
			{"an add", func(h cache.TypedResourceEventHandler[*corev1.Pod]) { h.OnAdd(first, false) }, []string{"add web"}, []*corev1.Pod{first}, "an add goes on as it is"},
			{"an add of the initial list", func(h cache.TypedResourceEventHandler[*corev1.Pod]) { h.OnAdd(first, true) }, []string{"add web (initial)"}, []*corev1.Pod{first},
				"next wants to know whether it is part of the initial list: TypedResourceEventHandlerDetailedFuncs passes that on"},
			{"an update with another resourceVersion", func(h cache.TypedResourceEventHandler[*corev1.Pod]) { h.OnUpdate(first, second) }, []string{"update web"}, []*corev1.Pod{first, second},
				"another resourceVersion is a change: pass it on"},
			{"an update with a resourceVersion of fewer digits", func(h cache.TypedResourceEventHandler[*corev1.Pod]) { h.OnUpdate(first, older) }, []string{"update web"}, []*corev1.Pod{first, older},
				"resourceVersions are compared for equality only"},
			{"an update in which nothing but the resourceVersion differs", func(h cache.TypedResourceEventHandler[*corev1.Pod]) { h.OnUpdate(first, versionOnly) }, []string{"update web"}, []*corev1.Pod{first, versionOnly},
				"another resourceVersion is a change, of a field that you may not have thought of: compare the resourceVersions, and not some of the fields"},
			{"an update with the same resourceVersion", func(h cache.TypedResourceEventHandler[*corev1.Pod]) { h.OnUpdate(first, first.DeepCopy()) }, nil, nil,
				"the same resourceVersion means that nothing changed: a resync, or a new list; drop it"},
			{"a resync", func(h cache.TypedResourceEventHandler[*corev1.Pod]) { h.OnUpdate(first, first) }, nil, nil, "a resync hands over the same object twice; drop it"},
			{"an update with another UID", func(h cache.TypedResourceEventHandler[*corev1.Pod]) { h.OnUpdate(first, another) }, []string{"delete web", "add web"}, []*corev1.Pod{first, another},
				"another UID is another pod of the same name: OnDelete of the old one, then OnAdd of the new one, not initial"},
			{"a delete", func(h cache.TypedResourceEventHandler[*corev1.Pod]) {
				h.OnDelete(coreinformers.DeletedPod{OptionalObj: first})
			}, []string{"delete web"}, []*corev1.Pod{first}, "a delete goes on as it is"},
			{"a delete of which only the key is known", func(h cache.TypedResourceEventHandler[*corev1.Pod]) { h.OnDelete(missed("shop/web", nil)) }, []string{"delete web"}, []*corev1.Pod{nil},
				"a delete goes on as it is, FinalStateUnknown with it"},
		} {
			next := &heard{}
			handler := changesOnly(s, next)
			untouched := keepPods(s, tc.what, first, second, older, another, versionOnly)
			callHandler(s, tc.what, func() { tc.tell(handler) })
			untouched()
			s.Require(slices.Equal(next.all(), tc.news), fmt.Sprintf("of %s, next heard %q, want %q", tc.what, next.all(), tc.news), tc.cause)
			s.Require(slices.Equal(next.pods, tc.pods), fmt.Sprintf("of %s, next got other objects than those that came in", tc.what), "pass the objects on themselves, the old one as the old one")
		}

		next := &heard{}
		handler := changesOnly(s, next)
		callHandler(s, "an update with another UID", func() { handler.OnUpdate(first, another) })
		s.Require(next.last.OptionalObj == first && next.last.FinalStateUnknown != nil && next.last.FinalStateUnknown.Obj == any(first) && next.last.GetKey() == "shop/web",
			fmt.Sprintf("of an update with another UID, next's OnDelete got OptionalObj %v and FinalStateUnknown %+v", next.last.OptionalObj != nil, next.last.FinalStateUnknown),
			"the old pod's last state is not known, and the old object is one from before: set OptionalObj, and FinalStateUnknown with the key namespace/name and the object")

		gone := missed("shop/web", first)
		callHandler(s, "a delete that was missed", func() { handler.OnDelete(gone) })
		s.Require(next.last == gone, fmt.Sprintf("of a delete that was missed, next's OnDelete got OptionalObj %v and FinalStateUnknown %+v", next.last.OptionalObj != nil, next.last.FinalStateUnknown),
			"a delete goes on as it is, FinalStateUnknown with it: it tells next that the object is an old one")

		err := s.Call(func(context.Context) error {
			_, err := ChangesOnly(nil)
			return err
		})
		s.Require(err != nil, "for a nil handler, ChangesOnly returned no error", "a nil handler would panic at the first event, in the informer's goroutine")
		judgeChangesLive(s)
	})
}

func changesOnly(s *check.S, next cache.TypedResourceEventHandler[*corev1.Pod]) cache.TypedResourceEventHandler[*corev1.Pod] {
	var handler cache.TypedResourceEventHandler[*corev1.Pod]
	s.Must(func(context.Context) (err error) {
		handler, err = ChangesOnly(next)
		return err
	})
	s.Require(handler != nil, "ChangesOnly returned no handler and no error", "the handler is not returned")
	return handler
}

// judgeChangesLive has an informer that replays its cache and lists anew.
func judgeChangesLive(s *check.S) {
	ns := s.Namespace()
	s.CreatePod(ns, check.PendingPod("same", nil))
	before := s.CreatePod(ns, check.PendingPod("reborn", nil))
	rec, cfg := s.Recorder()
	outage := rec.Outage(podRequests)
	factory := informers.NewSharedInformerFactoryWithOptions(clientset(s, cfg), time.Second, informers.WithNamespace(ns))
	pods := factory.Core().V1().Pods().TypedInformer()
	plain, next := &heard{}, &heard{}
	_, err := pods.AddTypedEventHandler(plain)
	s.Setup(err, "add a handler")
	registration, err := pods.AddTypedEventHandler(changesOnly(s, next))
	s.Setup(err, "add the handler")
	start(s, factory, registration)

	outage.Expire(func() error {
		if err := deletePod(s, ns, "reborn"); err != nil {
			return err
		}
		_, err := s.Clientset().CoreV1().Pods(ns).Create(s.Context(), check.PendingPod("reborn", nil), metav1.CreateOptions{})
		return err
	})
	s.Setup(boolError(eventually(s, func() bool {
		now, err := factory.Core().V1().Pods().Lister().Pods(ns).Get("reborn")
		return err == nil && now.UID != before.UID
	})), "see the new pod in the informer")
	heardSoFar := len(plain.all())
	s.Setup(boolError(eventually(s, func() bool { return len(plain.all()) >= heardSoFar+4 })), "see a resync after the new list")
	eventually(s, func() bool { return len(next.all()) >= 4 })
	news := next.all()
	slices.Sort(news[:min(2, len(news))])
	want := []string{"add reborn (initial)", "add same (initial)", "delete reborn", "add reborn"}
	s.Require(slices.Equal(news, want), fmt.Sprintf("two pods were there, the watch broke, pod reborn was deleted and created again meanwhile, then came resyncs; next heard\n  %s\nwant\n  %s\nall that the informer said:\n  %s",
		strings.Join(news, "\n  "), strings.Join(want, "\n  "), strings.Join(plain.all(), "\n  ")),
		"a resync and an unchanged pod of a new list have the same resourceVersion; a pod that was deleted and created again has another UID")
}

type rateLimited = workqueue.TypedRateLimitingInterface[cache.ObjectName]

func newQueue() rateLimited {
	return workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](5*time.Millisecond, 20*time.Millisecond))
}

func webKey(i int) cache.ObjectName { return cache.NewObjectName("shop", fmt.Sprintf("web-%d", i)) }

func TestStep7_RunWorkers(t *testing.T) {
	check.Step(t, 7, "RunWorkers", func(s *check.S) {
		judgeSideBySide(s)
		judgeOnceAtATime(s)
		judgeFailures(s)
		judgeWorkersEnd(s)
		for _, n := range []int{0, -1} {
			ctx, cancel := context.WithTimeout(s.Context(), time.Second)
			queue := newQueue()
			err := s.Call(func(context.Context) error {
				return RunWorkers(ctx, queue, n, func(context.Context, cache.ObjectName) error { return nil })
			})
			cancel()
			queue.ShutDown()
			s.Require(err != nil, fmt.Sprintf("with %d workers, RunWorkers returned no error", n), "nobody would ever take a key out")
		}
	})
}

// running is RunWorkers in a goroutine, as the program has it.
type running struct {
	stop   context.CancelFunc
	result chan error
}

func runWorkers(s *check.S, queue rateLimited, workers int, handle func(context.Context, cache.ObjectName) error) *running {
	ctx, stop := context.WithCancel(s.Context())
	r := &running{stop: stop, result: make(chan error, 1)}
	s.T().Cleanup(stop)
	go func() { r.result <- RunWorkers(ctx, queue, workers, handle) }()
	return r
}

// ended reports whether RunWorkers has returned already.
func (r *running) ended() bool {
	select {
	case err := <-r.result:
		r.result <- err
		return true
	default:
		return false
	}
}

// wait waits until RunWorkers returns.
func (r *running) wait(s *check.S) error {
	return s.CallWithin(10*time.Second, func(ctx context.Context) error {
		select {
		case err := <-r.result:
			return err
		case <-ctx.Done():
			<-r.result // so that it counts as one that does not return
			return nil
		}
	})
}

// early judges a RunWorkers that returned before its context ended.
func (r *running) early(s *check.S) {
	if r.ended() {
		err := r.wait(s)
		s.Fail("RunWorkers returned before ctx had ended: "+check.ErrorText(err), "it goes on until ctx ends, whatever handle returns")
	}
}

// judgeSideBySide has three calls of handle wait for each other.
func judgeSideBySide(s *check.S) {
	queue := newQueue()
	defer queue.ShutDown()
	var now, most atomic.Int64
	var handled sync.Map
	all := make(chan struct{})
	enough := time.After(3 * time.Second)
	var once sync.Once
	go func() {
		<-enough
		once.Do(func() { close(all) })
	}()
	r := runWorkers(s, queue, 3, func(ctx context.Context, key cache.ObjectName) error {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if n >= 3 {
			once.Do(func() { close(all) })
		}
		<-all
		time.Sleep(5 * time.Millisecond)
		handled.Store(key, true)
		return nil
	})
	const keys = 12
	for i := range keys {
		queue.Add(webKey(i))
	}
	done := eventually(s, func() bool { return r.ended() || countMap(&handled) == keys })
	r.early(s)
	s.Require(done, fmt.Sprintf("%d of %d keys were handled", countMap(&handled), keys), "a worker goes on taking keys until the queue is shut down")
	s.Require(most.Load() == 3, fmt.Sprintf("with 3 workers, %d calls of handle ran side by side at the most", most.Load()), "start as many goroutines as workers says, and no goroutine for each key")
	r.stop()
	err := r.wait(s)
	s.Require(err == nil, fmt.Sprintf("ctx ended, and RunWorkers returned: %v", err), "the end of ctx is the regular end: return nil")
}

func countMap(m *sync.Map) int {
	n := 0
	m.Range(func(any, any) bool { n++; return true })
	return n
}

// judgeOnceAtATime adds a key again while it is being handled.
func judgeOnceAtATime(s *check.S) {
	queue := newQueue()
	defer queue.ShutDown()
	key, other := webKey(1), webKey(2)
	var now, most, calls, others atomic.Int64
	entered, release := make(chan struct{}, 100), make(chan struct{})
	r := runWorkers(s, queue, 3, func(_ context.Context, k cache.ObjectName) error {
		if k == other {
			others.Add(1)
			return nil
		}
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		calls.Add(1)
		entered <- struct{}{}
		<-release
		return nil
	})
	queue.Add(key)
	began := eventually(s, func() bool { return r.ended() || len(entered) > 0 })
	r.early(s)
	s.Require(began, "a key was added, and handle was not called", "a worker takes keys out with Get and calls handle with each")
	queue.Add(key)
	queue.Add(other)
	s.Require(eventually(s, func() bool { return others.Load() > 0 }), "one worker is busy, two are free, and another key is not handled", "each worker takes keys for itself")
	time.Sleep(100 * time.Millisecond)
	close(release)
	again := eventually(s, func() bool { return calls.Load() >= 2 })
	s.Require(most.Load() == 1, fmt.Sprintf("a key that was added again while it was handled was handled %d times at once", most.Load()),
		"Done says that the work on a key is over: call it after handle, not before; the queue gives a key to one worker only until then")
	s.Require(again, "a key that was added again while it was handled was not handled a second time", "Done is missing: the queue takes the key for being worked on for ever, and never gives it out again")
	queue.Add(key)
	s.Require(eventually(s, func() bool { return calls.Load() >= 3 }), "a key that was added a third time was not handled", "Done must follow every Get")
	r.stop()
	_ = r.wait(s)
}

// judgeFailures has handle fail for one key, with a single worker.
func judgeFailures(s *check.S) {
	queue := newQueue()
	defer queue.ShutDown()
	bad, good := webKey(1), webKey(2)
	const failures = 16 // more than a limit on retries that somebody may have copied
	var mu sync.Mutex
	var requeues []int
	var goods atomic.Int64
	attempts := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(requeues)
	}
	r := runWorkers(s, queue, 1, func(_ context.Context, key cache.ObjectName) error {
		if key == good {
			goods.Add(1)
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		requeues = append(requeues, queue.NumRequeues(key))
		if len(requeues) <= failures {
			return fmt.Errorf("not yet, says the check: %w", context.DeadlineExceeded) // of a request of handle's own
		}
		return nil
	})
	queue.Add(bad)
	tried := eventually(s, func() bool { return r.ended() || attempts() >= 1 })
	r.early(s)
	s.Require(tried, "a key was added, and handle was not called", "a worker takes keys out with Get and calls handle with each")
	queue.Add(good)
	wentOn := eventually(s, func() bool { return r.ended() || goods.Load() > 0 })
	r.early(s)
	s.Require(wentOn, "handle returned an error for one key, and the next key was not handled", "a worker ends with its queue, not with an error of handle")
	done := eventually(s, func() bool { return r.ended() || attempts() > failures })
	r.early(s)
	mu.Lock()
	seen := slices.Clone(requeues)
	mu.Unlock()
	cause := "after an error the key has to come back: AddRateLimited"
	if len(seen) > 1 {
		cause += ", each time, without a limit: nobody else brings a key back that was given up"
	}
	s.Require(done, fmt.Sprintf("handle fails for a key %d times and was called %d times", failures, len(seen)), cause)
	for i := range failures + 1 {
		s.Require(seen[i] == i, fmt.Sprintf("before the calls of handle for the failing key, the queue counted %v failures, want 0, 1, 2 and so on", seen),
			"AddRateLimited counts a failure and adds the key after a pause that grows with them; Add comes back at once, for ever, and Forget is for success")
	}
	s.Require(eventually(s, func() bool { return queue.NumRequeues(bad) == 0 }), fmt.Sprintf("handle succeeded in the end, and the queue still counts %d failures of the key", queue.NumRequeues(bad)),
		"Forget after success: else the next failure, days later, waits as long as if they had never ended")
	time.Sleep(300 * time.Millisecond)
	s.Require(attempts() == failures+1, fmt.Sprintf("handle succeeded at last, and the key came back: %d calls", attempts()), "add the key again after an error only")
	r.stop()
	_ = r.wait(s)
}

// judgeWorkersEnd ends ctx while one call of handle runs.
func judgeWorkersEnd(s *check.S) {
	queue := newQueue()
	defer queue.ShutDown()
	var finished atomic.Bool
	var zero atomic.Int64
	entered := make(chan struct{}, 1)
	r := runWorkers(s, queue, 3, func(ctx context.Context, key cache.ObjectName) error {
		if key == (cache.ObjectName{}) {
			zero.Add(1)
			return nil
		}
		entered <- struct{}{}
		<-ctx.Done()
		time.Sleep(300 * time.Millisecond) // the call cleans up
		finished.Store(true)
		return ctx.Err()
	})
	queue.Add(webKey(1))
	began := eventually(s, func() bool { return r.ended() || len(entered) > 0 })
	r.early(s)
	s.Require(began, "a key was added, and handle was not called", "a worker takes keys out with Get and calls handle with each")
	r.stop()
	err := r.wait(s)
	s.Require(finished.Load(), "ctx ended, and RunWorkers returned while a call of handle was still running", "wait until every worker has returned: a sync.WaitGroup")
	s.Require(err == nil, fmt.Sprintf("ctx ended, and RunWorkers returned: %v", err), "the end of ctx is the regular end, and an error of handle is not RunWorkers' own: return nil")
	s.Require(queue.ShuttingDown(), "RunWorkers returned, and the queue is not shut down", "shut the queue down: else handlers fill a queue that nobody empties")
	time.Sleep(50 * time.Millisecond)
	s.Require(zero.Load() == 0, "handle was called with an empty key", "Get returns an empty key and true when the queue is shut down and empty: return then")
}

func TestStep8_StopAll(t *testing.T) {
	check.Step(t, 8, "StopAll", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web", nil))

		// The workers end at once, the informers take their time.
		busy := make(chan struct{})
		f := startFixture(s, ns, busy)
		f.workers <- nil
		go func() {
			<-f.ctx.Done()
			time.Sleep(200 * time.Millisecond)
			close(busy)
		}()
		err := f.stopAll(s, 10*time.Second)
		s.Require(f.ctx.Err() != nil, "StopAll returned ("+check.ErrorText(err)+"), and stop was not called", "the informers run until their context ends: call stop first, Shutdown only waits")
		s.Require(err == nil, fmt.Sprintf("everything stops, and StopAll returned: %v", err), "call stop, then wait")
		left := informerGoroutines()
		s.Require(left == "", "StopAll returned nil, and a goroutine of the informer still runs:\n"+left, "factory.Shutdown waits until all of them have ended")

		// The informers end at once, the workers take their time.
		f = startFixture(s, ns, nil)
		go func() {
			<-f.ctx.Done()
			time.Sleep(300 * time.Millisecond)
			f.working.Store(false)
			f.workers <- nil
		}()
		err = f.stopAll(s, 10*time.Second)
		s.Require(err == nil, fmt.Sprintf("everything stops, and StopAll returned: %v", err), "call stop, then wait")
		s.Require(!f.working.Load(), "StopAll returned while the workers were still at work", "receive from workers: that is how the caller learns that they have ended")

		// The workers failed.
		failed := errors.New("the workers failed, says the check")
		late := make(chan struct{})
		f = startFixture(s, ns, late)
		f.workers <- failed
		go func() {
			<-f.ctx.Done()
			time.Sleep(200 * time.Millisecond)
			close(late)
		}()
		err = f.stopAll(s, 10*time.Second)
		s.Require(errors.Is(err, failed), fmt.Sprintf("the workers sent an error; want it back, wrapped, got %s", check.ErrorText(err)), "what comes from workers is dropped, or not wrapped with %w")
		left = informerGoroutines()
		s.Require(left == "", "the workers failed, and StopAll left a goroutine of the informer behind:\n"+left, "an error of the workers is no reason not to wait for the informers")

		// A handler hangs.
		release := make(chan struct{})
		f = startFixture(s, ns, release)
		f.workers <- nil
		hung := f.stopAll(s, time.Second)
		s.Require(hung != nil, "a handler hung, and StopAll returned nil", "not everything has stopped: say so")
		close(release)
		f.factory.Shutdown()

		// A worker hangs.
		f = startFixture(s, ns, nil)
		err = f.stopAll(s, time.Second)
		s.Require(err != nil, "a worker hung, and StopAll returned nil", "not everything has stopped: say so")
		s.Require(err.Error() != hung.Error(), fmt.Sprintf("a handler hung, then a worker did, and StopAll returned the same text for both: %v", err), "the error says what still runs: name the workers or the informers")
		s.Require(f.ctx.Err() != nil, "a worker hung, and stop was not called", "workers end when their context does: call stop first")

		// Nothing was started.
		ctx, stop := context.WithCancel(s.Context())
		workers := make(chan error, 1)
		workers <- nil
		err = s.Call(func(context.Context) error {
			return StopAll(stop, newFactory(s, s.Config(), ns), workers, 5*time.Second)
		})
		s.Require(err == nil && ctx.Err() != nil, "the factory had no informer, the workers had ended, and StopAll returned: "+check.ErrorText(err), "there is nothing to wait for")
	})
}

// fixture is a started factory with a handler.
type fixture struct {
	ctx     context.Context
	stop    context.CancelFunc
	factory informers.SharedInformerFactory
	workers chan error
	working atomic.Bool
}

func startFixture(s *check.S, ns string, release <-chan struct{}) *fixture {
	f := &fixture{factory: newFactory(s, s.Config(), ns), workers: make(chan error, 1)}
	f.working.Store(true)
	f.ctx, f.stop = context.WithCancel(s.Context())
	s.T().Cleanup(f.stop)
	entered := make(chan struct{}, 1)
	_, err := f.factory.Core().V1().Pods().TypedInformer().AddTypedEventHandler(coreinformers.PodHandlerFuncs{AddFunc: func(*corev1.Pod) {
		entered <- struct{}{}
		if release != nil {
			<-release
		}
	}})
	s.Setup(err, "add a handler")
	f.factory.StartWithContext(f.ctx)
	deadline, cancel := context.WithTimeout(f.ctx, check.CallTimeout)
	defer cancel()
	s.Setup(f.factory.WaitForCacheSyncWithContext(deadline).AsError(), "wait for the informers")
	select {
	case <-entered:
	case <-deadline.Done():
		s.Setup(deadline.Err(), "see the handler at work")
	}
	return f
}

func (f *fixture) stopAll(s *check.S, timeout time.Duration) error {
	return s.CallWithin(timeout+10*time.Second, func(context.Context) error {
		return StopAll(f.stop, f.factory, f.workers, timeout)
	})
}

// informerGoroutines is the stack of one goroutine that an informer left, or "".
func informerGoroutines() string {
	buf := make([]byte, 4<<20)
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(stack, "k8s.io/client-go/tools/cache.") {
			return stack
		}
	}
	return ""
}
