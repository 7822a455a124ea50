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

type (
	checkRegistration = cache.ResourceEventHandlerRegistration
	checkHandler      = cache.TypedResourceEventHandler[*corev1.Pod]
)

var podRequests = check.Match{Resource: "pods"}

// checkFactory is the check's own: a step is judged whether or not step 1 is written.
func checkFactory(s *check.S, cfg *rest.Config, ns string) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(s.ClientsetFor(cfg), 0, informers.WithNamespace(ns))
}

// checkStart starts the factory as part of the check's preparation, waits for the
// caches and the handlers, and stops it when the step is judged.
func checkStart(s *check.S, factory informers.SharedInformerFactory, handlers ...checkRegistration) {
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

func checkGet(s *check.S, ns, name string) *corev1.Pod {
	pod, err := s.Clientset().CoreV1().Pods(ns).Get(s.Context(), name, metav1.GetOptions{})
	s.Setup(err, "get pod "+name)
	return pod
}

// checkPatch patches pod web.
func checkPatch(s *check.S, ns, patch string, subresources ...string) *corev1.Pod {
	pods := s.Clientset().CoreV1().Pods(ns)
	pod, err := pods.Patch(s.Context(), "web", types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
	s.Setup(err, "patch pod web")
	return pod
}

// checkDelete removes a pod at once: it runs nowhere, so there is nothing to wait for.
func checkDelete(s *check.S, ns, name string) error {
	return s.Clientset().CoreV1().Pods(ns).Delete(s.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
}

// checkAdd adds a handler of the check's own to the informer for pods.
func checkAdd(s *check.S, factory informers.SharedInformerFactory, handler checkHandler) checkRegistration {
	registration, err := factory.Core().V1().Pods().TypedInformer().AddTypedEventHandler(handler)
	s.Setup(err, "add a handler")
	return registration
}

// checkLines is a writer that several goroutines may use.
type checkLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *checkLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *checkLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// all are the lines with one space between two words.
func (l *checkLines) all() []string {
	var out []string
	for line := range strings.Lines(l.String()) {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return out
}

const handedOutCause = "a handler gets the cached object itself, which every reader shares: change a DeepCopy, never the object"

func TestStep1_NewFactory(t *testing.T) {
	check.Step(t, 1, "NewFactory", func(s *check.S) {
		ns, elsewhere := s.Namespace(), s.Namespace()
		full := check.PendingPod("web", map[string]string{"app": "web"})
		full.Annotations = map[string]string{"example.com/note": "keep me", corev1.LastAppliedConfigAnnotation: "{}"}
		full.Finalizers = []string{"workshop.example.com/hold"}
		s.CreatePod(ns, full)
		s.CreatePod(elsewhere, check.PendingPod("decoy", nil))
		settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}, Data: map[string]string{"colour": "blue"}}
		_, err := s.Clientset().CoreV1().ConfigMaps(ns).Create(s.Context(), settings, metav1.CreateOptions{})
		s.Setup(err, "create a ConfigMap")

		rec, cfg := s.Recorder()
		client := s.ClientsetFor(cfg)
		factory := makeFactory(s, client, ns, 0)
		s.RequireNoRequest(rec, "a factory is made without asking the server; starting its informers is step 4")
		judgeNothingStarted(s, rec, factory)
		judgeStripped(s, rec, factory, ns)
		judgeTransform(s, makeFactory(s, client, ns, 0))
		judgeResync(s, client, ns)

		made, err := check.Call(s, func(context.Context) (informers.SharedInformerFactory, error) { return NewFactory(client, "", 0) })
		s.Requiref(err != nil, "informers.WithNamespace(\"\") means all namespaces; the task wants an error for it",
			"for the empty namespace, want an error, got a factory (%v) and no error", made != nil)
	})
}

func makeFactory(s *check.S, client kubernetes.Interface, ns string, resync time.Duration) informers.SharedInformerFactory {
	return check.Must(s, "factory", func(context.Context) (informers.SharedInformerFactory, error) {
		return NewFactory(client, ns, resync)
	})
}

// judgeNothingStarted starts a factory that nobody has asked for an informer.
func judgeNothingStarted(s *check.S, rec *check.Recorder, factory informers.SharedInformerFactory) {
	time.Sleep(100 * time.Millisecond)
	ctx, stop := context.WithCancel(s.Context())
	defer stop()
	factory.StartWithContext(ctx)
	none := factory.WaitForCacheSyncWithContext(ctx)
	rec.Requiref(len(none.Synced) == 0 && rec.Count(check.Match{}) == 0,
		"Informer(), TypedInformer() and Lister() ask for an informer; leave that to those who need one",
		"before anybody asked for an informer, the factory already has %v", none.Synced)
}

const transformCause = "WithTransform(f) has f called with every object that an informer of the factory is about to keep"

// judgeStripped compares what the factory's informers keep with what the API has.
func judgeStripped(s *check.S, rec *check.Recorder, factory informers.SharedInformerFactory, ns string) {
	pods, maps := factory.Core().V1().Pods(), factory.Core().V1().ConfigMaps()
	var handed atomic.Int64 // managedFields that a handler saw
	registration := checkAdd(s, factory, coreinformers.PodHandlerFuncs{
		AddFunc:    func(pod *corev1.Pod) { handed.Add(int64(len(pod.ManagedFields))) },
		UpdateFunc: func(_, pod *corev1.Pod) { handed.Add(int64(len(pod.ManagedFields))) },
	})
	maps.Informer()
	checkStart(s, factory, registration)
	for _, req := range rec.Requests(check.Match{}) {
		rec.Requiref(req.Namespace == ns, "informers.WithNamespace limits the factory to one namespace; without it, it is all of them",
			"the informers asked for %s, want namespace %s only", req.Path, ns)
	}
	cached, err := pods.Lister().Pods(ns).Get("web")
	rec.Requiref(err == nil, "a transform that returns an error, or nothing, loses the object",
		"pod %s/web exists, and the informer has: %s", ns, check.ErrorText(err))
	judgeKept(s, "pod web", cached, checkGet(s, ns, "web"), "no transform is set, or it does not remove them: "+transformCause)

	cachedMap, err := maps.Lister().ConfigMaps(ns).Get("settings")
	s.Require(err == nil, "the informer for ConfigMaps does not have settings: "+check.ErrorText(err),
		"the transform gets every kind, not only pods; it must not refuse or drop a ConfigMap")
	wantMap, err := s.Clientset().CoreV1().ConfigMaps(ns).Get(s.Context(), "settings", metav1.GetOptions{})
	s.Setup(err, "get ConfigMap settings")
	judgeKept(s, "ConfigMap settings", cachedMap, wantMap,
		"the transform looks at pods only: meta.Accessor gives the metadata of an object of any kind")

	// A change goes through the transform as well.
	changed := checkPatch(s, ns, `{"metadata":{"labels":{"stage":"two"}}}`)
	s.Await("see its change of pod web in the informer", func() bool {
		cached, err = pods.Lister().Pods(ns).Get("web")
		return err == nil && cached.ResourceVersion == changed.ResourceVersion
	})
	s.Requiref(len(cached.ManagedFields) == 0 && handed.Load() == 0, transformCause,
		"after a change, the cached pod web has %d managedFields, and handlers saw %d", len(cached.ManagedFields), handed.Load())
	judgeKept(s, "pod web", cached, changed, transformCause)
}

// judgeKept wants the cached object to be what the API has, without managedFields.
func judgeKept(s *check.S, what string, got, want metav1.Object, cause string) {
	s.Requiref(len(want.GetManagedFields()) > 0, "this is a fault of the check", "the check's own %s has no managedFields", what)
	s.Requiref(len(got.GetManagedFields()) == 0, cause, "the cached %s has %d managedFields, want none", what, len(got.GetManagedFields()))
	want.SetManagedFields(nil)
	if reflect.DeepEqual(got, want) {
		return
	}
	const cutCause = "the transform removes more than metadata.managedFields; what it drops is lost to every reader, " +
		"and an update from the cache deletes it"
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
		s.Requiref(reflect.DeepEqual(field.got, field.want), cutCause,
			"the cached %s has %s %v, the API has %v", what, field.name, field.got, field.want)
	}
	s.Failf("the transform removes or changes more than metadata.managedFields",
		"the cached %s is not what the API has, beside managedFields:\n%+v\nwant\n%+v", what, got, want)
}

// judgeTransform hands the factory's transform what has no metadata.
func judgeTransform(s *check.S, factory informers.SharedInformerFactory) {
	kept := &checkTransform{}
	factory.InformerFor(&corev1.Pod{}, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return kept })
	if kept.transform == nil {
		return
	}
	tombstone := cache.DeletedFinalStateUnknown{Key: "shop/web"}
	got, err := check.Call(s, func(context.Context) (any, error) { return kept.transform(tombstone) })
	s.Requiref(err == nil && reflect.DeepEqual(got, tombstone),
		"it has no metadata: return it unchanged, without an error. An error loses what the informer was about to tell",
		"for a cache.DeletedFinalStateUnknown, the transform returned %#v and %s", got, check.ErrorText(err))
}

// checkTransform is an informer that only remembers its transform.
type checkTransform struct {
	cache.SharedIndexInformer
	transform cache.TransformFunc
}

func (k *checkTransform) SetTransform(transform cache.TransformFunc) error {
	k.transform = transform
	return nil
}

// judgeResync looks whether the factory replays what it has, and only when asked to.
func judgeResync(s *check.S, client kubernetes.Interface, ns string) {
	replays := func(resync time.Duration) *atomic.Int64 {
		factory := makeFactory(s, client, ns, resync)
		var n atomic.Int64
		checkAdd(s, factory, coreinformers.PodHandlerFuncs{
			UpdateFunc: func(before, after *corev1.Pod) {
				if before.ResourceVersion == after.ResourceVersion {
					n.Add(1)
				}
			},
		})
		checkStart(s, factory)
		return &n
	}
	never, often := replays(0), replays(time.Second)
	s.Requiref(s.Eventually(func() bool { return often.Load() >= 1 }), "resync is the second argument of NewSharedInformerFactoryWithOptions",
		"with resync 1s, a handler saw %d replays of pod web", often.Load())
	s.Requiref(never.Load() == 0, "0 means no resync: pass it on as it is", "with resync 0, a handler saw %d replays of pod web", never.Load())
}

func TestStep2_PrintPods(t *testing.T) {
	check.Step(t, 2, "PrintPods", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("first", nil))
		rec, cfg := s.Recorder()
		outage := rec.Outage(podRequests)
		factory := checkFactory(s, cfg, ns)
		pods := factory.Core().V1().Pods()
		p := &printed{s: s, out: &checkLines{}}
		registration := check.Must(s, "registration", func(context.Context) (checkRegistration, error) { return PrintPods(pods, p.out) })
		s.RequireNoRequest(rec, "adding a handler asks the server for nothing; starting is step 4")
		checkStart(s, factory, registration)

		p.expect("a pod was there at the start", "added "+ns+"/first Pending", "AddFunc is called for each pod of the first list, too")
		judgePodLife(p, pods.Lister(), ns)
		// A deletion that nobody sees.
		rec.Requiref(outage.Expire(func() error { return checkDelete(s, ns, "first") }) > 0, "the handler must not stop the informer",
			"the informer has no watch open any more")
		p.expect("the watch broke, pod first was deleted meanwhile, and the informer found out from a new list",
			"deleted "+ns+"/first missed", "a deletion that the informer did not see itself comes with FinalStateUnknown set "+
				"(untyped: as a cache.DeletedFinalStateUnknown in place of the pod)")

		judgeRegistration(s, pods, registration, ns, p.out)
		judgeUnknown(s, ns)
		judgeStoppedInformer(s)
	})
}

// printed are the lines that were expected so far.
type printed struct {
	s    *check.S
	out  *checkLines
	want []string
}

// expect wants one line more.
func (p *printed) expect(what, line, cause string) {
	p.want = append(p.want, line)
	p.s.Eventually(func() bool { return len(p.out.all()) >= len(p.want) && strings.HasSuffix(p.out.String(), "\n") })
	got := p.out.all()
	p.s.Requiref(slices.Equal(got, p.want), lineCause(got, p.want, cause),
		"%s, the lines are\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(p.want, "\n  "))
}

// judgePodLife takes pod web from its creation to its end.
func judgePodLife(p *printed, pods corelisters.PodLister, ns string) {
	s := p.s
	s.CreatePod(ns, check.PendingPod("web", nil))
	p.expect("pod web was created", "added "+ns+"/web Pending", "")
	checkPatch(s, ns, `{"status":{"phase":"Running"}}`, "status")
	p.expect("pod web went from Pending to Running", "updated "+ns+"/web Running",
		"UpdateFunc gets the old and the new pod: print the new one's status")
	checkPatch(s, ns, `{"metadata":{"finalizers":["workshop.example.com/hold"]}}`)
	p.expect("pod web got a finalizer", "updated "+ns+"/web Running", "each update is a line, whatever changed")
	judgeCacheLeft(s, pods, ns, "first", "web")
	s.Setup(checkDelete(s, ns, "web"), "delete pod web")
	p.expect("the deletion of pod web began, and a finalizer holds it", "updated "+ns+"/web Terminating",
		"the pod is still there: this is an update, and podStatus says Terminating")
	checkPatch(s, ns, `{"metadata":{"finalizers":null}}`)
	p.expect("pod web is gone", "deleted "+ns+"/web", "FinalStateUnknown is nil where the informer saw the deletion itself")
}

// judgeCacheLeft compares pods in the cache, which the handler was given, with what the server has.
func judgeCacheLeft(s *check.S, pods corelisters.PodLister, ns string, names ...string) {
	for _, name := range names {
		want := checkGet(s, ns, name)
		got, err := pods.Pods(ns).Get(name)
		s.Setup(err, "read pod "+name+" from the cache")
		s.Requiref(got.ResourceVersion != want.ResourceVersion || reflect.DeepEqual(got, want), handedOutCause,
			"pod %s in the cache is not what the server has:\n%+v\nwant\n%+v", name, got, want)
	}
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
func judgeRegistration(s *check.S, pods coreinformers.TypedPodInformer, registration checkRegistration, ns string, out *checkLines) {
	s.Setup(cache.ShutDownEventHandler(pods.Informer(), registration), "remove the handler")
	before := len(out.all())
	s.CreatePod(ns, check.PendingPod("later", nil))
	s.Await("see pod later in the informer", func() bool {
		_, err := pods.Lister().Pods(ns).Get("later")
		return err == nil
	})
	time.Sleep(50 * time.Millisecond)
	s.Requiref(len(out.all()) == before, "return the registration of this very handler",
		"after the handler was removed, it printed %q", out.all()[before:])
}

// judgeUnknown has the handler hear of a deletion of which only the key is known,
// and of a resync.
func judgeUnknown(s *check.S, ns string) {
	out, fake := &checkLines{}, &checkInformer{}
	_, err := check.Call(s, func(context.Context) (checkRegistration, error) { return PrintPods(fake, out) })
	s.RequireNoError(err, nil, "")
	s.Require(fake.handler != nil, "PrintPods added no handler to the informer that it was given",
		"pods.TypedInformer().AddTypedEventHandler(...)")
	checkCall(s, "a deletion", func() { fake.handler.OnDelete(cache.DeletedFinalStateUnknown{Key: ns + "/lost"}) })
	want := "deleted " + ns + "/lost missed"
	s.Requiref(slices.Equal(out.all(), []string{want}),
		"OptionalObj is nil then: GetKey, GetObjectName, GetName and GetNamespace of DeletedObject work in any case",
		"for a deletion of which the informer knows only the key %s/lost, the lines are %q, want %q", ns, out.all(), want)

	pod := namedPod(ns, "same", "1", "uid-1")
	checkCall(s, "a resync", func() { fake.handler.OnUpdate(pod, pod) })
	s.Requiref(slices.Equal(out.all(), []string{want, "updated " + ns + "/same Running"}),
		"a resync is an event too, and each event is a line: dropping it is step 7",
		"an update of pod %s/same came with two objects of the same resourceVersion, and the lines are %q", ns, out.all())
}

// checkInformer keeps the handler that is added to it.
type checkInformer struct {
	coreinformers.TypedPodInformer
	cache.SharedIndexInformer
	handler cache.ResourceEventHandler
}

func (f *checkInformer) Informer() cache.SharedIndexInformer { return f }
func (f *checkInformer) TypedInformer() coreinformers.PodIndexInformer {
	return cache.NewTypedSharedIndexInformer[*corev1.Pod](f)
}

func (f *checkInformer) AddEventHandler(handler cache.ResourceEventHandler) (checkRegistration, error) {
	f.handler = handler
	return struct{ checkRegistration }{}, nil
}

func (f *checkInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (checkRegistration, error) {
	return f.AddEventHandler(handler)
}

func (f *checkInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (checkRegistration, error) {
	return f.AddEventHandler(handler)
}

// judgeStoppedInformer adds the handler to an informer that has stopped.
func judgeStoppedInformer(s *check.S) {
	factory := checkFactory(s, s.Config(), "default")
	pods := factory.Core().V1().Pods()
	pods.Informer()
	ctx, stop := context.WithCancel(s.Context())
	stop()
	factory.StartWithContext(ctx)
	factory.Shutdown()
	_, err := check.Call(s, func(context.Context) (checkRegistration, error) { return PrintPods(pods, &checkLines{}) })
	s.Require(err != nil, "the informer had stopped, and PrintPods returned no error",
		"AddTypedEventHandler returns an error for an informer that has stopped: return it, wrapped with %w")
}

// createABC makes the three pods that steps 3 and 4 wait for.
func createABC(s *check.S) string {
	ns := s.Namespace()
	for _, name := range []string{"a", "b", "c"} {
		s.CreatePod(ns, check.PendingPod(name, nil))
	}
	return ns
}

// started is a factory that the check has started, with informers for pods and ConfigMaps.
func started(s *check.S, cfg *rest.Config, ns string, handlers ...checkHandler) (informers.SharedInformerFactory, []checkRegistration) {
	factory := checkFactory(s, cfg, ns)
	factory.Core().V1().Pods().Informer()
	factory.Core().V1().ConfigMaps().Informer()
	var registrations []checkRegistration
	for _, handler := range handlers {
		registrations = append(registrations, checkAdd(s, factory, handler))
	}
	ctx, stop := context.WithCancel(s.Context())
	s.T().Cleanup(stop)
	factory.StartWithContext(ctx)
	return factory, registrations
}

func waitForSync(s *check.S, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...checkRegistration) error {
	return s.CallWithin(timeout+10*time.Second, func(ctx context.Context) error {
		return WaitForSync(context.WithoutCancel(ctx), factory, timeout, handlers...)
	})
}

func TestStep3_WaitForSync(t *testing.T) {
	check.Step(t, 3, "WaitForSync", func(s *check.S) {
		ns := createABC(s)
		judgeCachesSync(s, ns)
		judgeHandlersSync(s, ns)
		judgeStuckHandler(s, ns)
		judgeSilence(s, ns)
	})
}

// judgeCachesSync has two informers that lag behind: one's first requests fail, the
// other's is answered late.
func judgeCachesSync(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	rec.Delay(check.Match{Resource: "configmaps"}, 1, 1500*time.Millisecond)
	rec.RefuseSome(podRequests, 0, 2, http.StatusInternalServerError)
	factory, _ := started(s, cfg, ns)
	err := waitForSync(s, factory, 15*time.Second)
	cached := factory.Core().V1().Pods().Informer().GetStore().ListKeys()
	s.RequireNoError(err, rec, "an informer tries again by itself: one error is not the end, as long as the time is not over")
	rec.Requiref(len(cached) == 3, "a pause is no wait, and an informer that runs is not in sync yet: ask it whether it has synced",
		"WaitForSync returned nil, and the cache holds %d of 3 pods", len(cached))
	rec.Requiref(factory.Core().V1().ConfigMaps().Informer().HasSynced(),
		"wait for each informer of the factory, not for pods alone: WaitForCacheSyncWithContext of the factory does",
		"WaitForSync returned nil, and the informer for ConfigMaps, which the factory has started as well, has not synced")
}

// judgeHandlersSync has a handler that lags behind the cache.
func judgeHandlersSync(s *check.S, ns string) {
	release := make(chan struct{})
	var seen atomic.Int64
	factory, handlers := started(s, s.Config(), ns, slowHandler(nil, &atomic.Int64{}), slowHandler(release, &seen))
	var returned, early atomic.Bool
	go func() {
		s.Eventually(factory.Core().V1().Pods().Informer().HasSynced)
		time.Sleep(300 * time.Millisecond)
		early.Store(returned.Load())
		close(release)
	}()
	err := waitForSync(s, factory, 15*time.Second, handlers...)
	at := seen.Load()
	returned.Store(true)
	s.RequireNoError(err, nil, "")
	s.Eventually(func() bool { return seen.Load() > 0 })
	s.Requiref(!early.Load() && at == 3,
		"the cache in sync is not the handlers in sync, which work in goroutines of their own: wait for each registration's HasSyncedChecker "+
			"(or HasSynced), too", "WaitForSync returned nil when a handler had seen %d of 3 pods, while it was still busy with the first", at)
}

func slowHandler(release <-chan struct{}, seen *atomic.Int64) checkHandler {
	return coreinformers.PodHandlerFuncs{AddFunc: func(*corev1.Pod) {
		if release != nil {
			<-release
		}
		seen.Add(1)
	}}
}

// judgeStuckHandler has a handler that does not come to an end.
func judgeStuckHandler(s *check.S, ns string) {
	hold := make(chan struct{})
	defer close(hold)
	factory, handlers := started(s, s.Config(), ns, slowHandler(hold, &atomic.Int64{}))
	err := waitForSync(s, factory, time.Second, handlers...)
	s.Require(err != nil, "a handler hung, and WaitForSync returned no error when timeout was over",
		"the result of the wait for the handlers is dropped: cache.WaitFor returns false when the time is over")
	s.Requiref(errors.Is(err, context.DeadlineExceeded), "wrap the reason why the wait ended, context.Cause(ctx), with %w",
		"a handler hung until timeout was over, and errors.Is(err, context.DeadlineExceeded) is false: %v", err)
}

// judgeSilence has a server that does not answer, until timeout is over or ctx ends.
func judgeSilence(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	rec.Delay(podRequests, check.Always, time.Minute)
	factory, _ := started(s, cfg, ns)
	err := waitForSync(s, factory, time.Second)
	s.Require(err != nil, "the server did not answer until timeout was over, and WaitForSync returned no error",
		"the result of the wait is dropped: WaitForCacheSyncWithContext(ctx).AsError(), or the false of WaitForCacheSync, says that the cache "+
			"is not in sync, and the caller would work with an empty cache")
	s.Requiref(errors.Is(err, context.DeadlineExceeded), "wrap the reason why the wait ended with %w",
		"the server did not answer until timeout was over, and errors.Is(err, context.DeadlineExceeded) is false: %v", err)

	err = s.Call(func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(300*time.Millisecond, cancel)
		return WaitForSync(ctx, factory, time.Minute)
	})
	s.Requiref(errors.Is(err, context.Canceled), "the context of the wait must come from ctx, and its reason must be wrapped with %w",
		"ctx was cancelled during the wait; want an error for which errors.Is(err, context.Canceled) is true, got %s", check.ErrorText(err))
}

// errNotInSync is what the check's own wait returns.
var errNotInSync = errors.New("not in sync, says the check's wait")

// startMark is the key of a value in the context of StartPods.
type startMark struct{}

// startPods calls StartPods with a wait of the check's own, for the caches of the
// factory, and a context that ends with the judgement.
func startPods(s *check.S, factory informers.SharedInformerFactory, limit time.Duration) (stop context.CancelFunc, err error) {
	ctx, stop := context.WithCancel(context.WithValue(s.Context(), startMark{}, true))
	s.T().Cleanup(stop)
	var calls, strange atomic.Int64
	wait := func(ctx context.Context) error {
		calls.Add(1)
		if ctx.Value(startMark{}) == nil {
			strange.Add(1)
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		result := factory.WaitForCacheSyncWithContext(ctx)
		if len(result.Synced) == 0 { // the factory runs none
			time.Sleep(time.Second)
		}
		if err := result.AsError(); err != nil {
			return fmt.Errorf("%w: %w", errNotInSync, err)
		}
		return nil
	}
	err = s.CallWithin(limit+15*time.Second, func(context.Context) error { return StartPods(ctx, factory, wait) })
	s.Requiref(calls.Load() == 1, "call wait once, after the start: it returns when everything is in sync, or says why not",
		"StartPods called wait %d times, want once; StartPods returned %s", calls.Load(), check.ErrorText(err))
	s.Require(strange.Load() == 0, "StartPods called wait with another context than ctx",
		"hand ctx on: with another one the end of ctx does not end the wait")
	return stop, err
}

func TestStep4_StartPods(t *testing.T) {
	check.Step(t, 4, "StartPods", func(s *check.S) {
		ns := createABC(s)
		judgeStart(s, ns)
		judgePassingError(s, ns)
		judgeForbidden(s, ns)
		judgeNoReason(s, ns)
	})
}

func judgeStart(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	factory := checkFactory(s, cfg, ns)
	maps := factory.Core().V1().ConfigMaps().Informer() // another user of the factory
	_, err := startPods(s, factory, 15*time.Second)
	s.RequireNoError(err, rec, "")
	pods := factory.Core().V1().Pods().Informer()
	cached := pods.GetStore().ListKeys()
	time.Sleep(200 * time.Millisecond) // a start that was not waited for may send its request now
	rec.Requiref(rec.Count(podRequests) > 0,
		"a factory starts the informers that somebody has asked for by then: call factory.Core().V1().Pods().Informer() first, then start",
		"StartPods returned nil, and no request for pods was sent")
	rec.Requiref(len(cached) == 3,
		"a wait before the start has nothing to wait for: start the factory, then call wait, and look at what it returns",
		"StartPods returned nil, and the cache holds %d of 3 pods", len(cached))
	rec.Requiref(rec.Count(check.Match{Verb: "watch", Resource: "pods"}) <= 1 && rec.Count(check.Match{Verb: "list", Resource: "pods"}) <= 1,
		"one informer from the factory is enough: a second one, or a list of your own, asks for everything again",
		"want one watch of pods, and one list before it at the most")
	rec.Requiref(s.Eventually(maps.HasSynced),
		"start the factory, which starts all its informers, and not the pod informer alone: the factory's waits and its Shutdown do not know "+
			"of one that you run", "somebody else had asked the factory for ConfigMaps, and that informer was not started")

	s.CreatePod(ns, check.PendingPod("later", nil))
	rec.Requiref(s.Eventually(func() bool { return len(pods.GetStore().ListKeys()) == 4 }),
		"the informers were started with the context of the wait, or another one that ends with StartPods: start them with ctx",
		"a pod was created after StartPods had returned, and the cache does not get it")
	s.Setup(checkDelete(s, ns, "later"), "delete pod later")
}

// judgePassingError answers the first requests with 500.
func judgePassingError(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	rec.RefuseSome(podRequests, 0, 2, http.StatusInternalServerError)
	factory := checkFactory(s, cfg, ns)
	stop, err := startPods(s, factory, 15*time.Second)
	rec.Requiref(err == nil, "an informer tries again by itself: one error is not the end, as long as wait has not failed",
		"the first two requests were answered with 500, the others would have succeeded, and StartPods returned: %v", err)
	rec.Requiref(len(factory.Core().V1().Pods().Informer().GetStore().ListKeys()) == 3, "return when wait has, and not before",
		"StartPods returned nil before the cache was filled")
	stop()
}

// judgeForbidden has a user without any rights, whose first list fails for another reason.
func judgeForbidden(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + ns + ":default"}
	rec.RefuseSome(check.Match{Verb: "list", Resource: "pods"}, 0, 1, http.StatusInternalServerError)
	stop, err := startPods(s, checkFactory(s, cfg, ns), 4*time.Second)
	stop()
	rec.Requiref(err != nil, "the result of the wait is dropped: return an error when wait does",
		"the server forbids to list pods, and StartPods returned no error")
	rec.Requiref(apierrors.IsForbidden(err) || !apierrors.IsInternalError(err),
		"what stands in the way in the end is the last error: keep that one, and not the first",
		"the first list was answered with 500, the next with 403, and the error is the first: %v", err)
	rec.Requiref(apierrors.IsForbidden(err),
		"\"not in time\" helps nobody: keep the last error that SetWatchErrorHandlerWithContext tells you of, and wrap it with %w",
		"the server forbids to list pods, and apierrors.IsForbidden is false for the error: %v", err)
	rec.Requiref(errors.Is(err, errNotInSync), "wrap the error of wait as well: errors.Join, or two %w",
		"the informer met an error, wait failed, and errors.Is is false for StartPods' error and the error of wait: %v", err)
}

// judgeNoReason has a server that does not answer: the informer meets no error.
func judgeNoReason(s *check.S, ns string) {
	rec, cfg := s.Recorder()
	rec.Delay(podRequests, check.Always, time.Minute)
	stop, err := startPods(s, checkFactory(s, cfg, ns), time.Second)
	stop()
	s.Require(err != nil, "the server did not answer, wait failed, and StartPods returned no error",
		"return an error when wait does, also when the informer met none")
	s.Requiref(errors.Is(err, errNotInSync), "wrap the error of wait with %w",
		"the informer met no error, wait failed, and errors.Is is false for StartPods' error and the error of wait: %v", err)
}

func TestStep5_ReadPods(t *testing.T) {
	check.Step(t, 5, "ReadPods", func(s *check.S) {
		r := newReading(s)
		for _, tc := range []struct {
			selector string
			want     []string
			cause    string
		}{
			{"", []string{"db-b", "web-a", "web-b", "web-c"},
				"the empty selector matches everything: labels.Parse(\"\") and labels.Everything() do, labels.Nothing() does not"},
			{"app=web", []string{"web-a", "web-b", "web-c"}, "the selector is not used"},
			{"app notin (web)", []string{"db-b"}, "labels.Parse knows the whole language of selectors: =, !=, in, notin, exists"},
			{"app=none", nil, "no match is an empty list"},
		} {
			r.judge(tc.selector, tc.want, tc.cause)
		}
		const keptCause = "what an earlier call returned was kept, and its caller has changed it: ask the lister each time"
		pods, err := r.read("")
		s.Requiref(err == nil && len(pods) == len(r.before), keptCause,
			"the selector \"\" was asked for again, and ReadPods returned %v and %s", podNames(pods), check.ErrorText(err))
		r.judgeWhole("the selector \"\" was asked for again, and ", pods, keptCause)

		_, err = r.read("app in web")
		s.Require(err != nil, "for the selector \"app in web\", which cannot be parsed, ReadPods returned no error",
			"the error of labels.Parse is dropped")
		r.rec.Requiref(r.rec.Count(check.Match{}) == r.sent, "the lister has it all", "ReadPods made a request")
	})
}

// reading is an informer that runs, and the pods of one namespace in its cache.
type reading struct {
	s      *check.S
	rec    *check.Recorder
	pods   corelisters.PodNamespaceLister
	before map[string]*corev1.Pod
	sent   int // how many requests the informer sent
}

func newReading(s *check.S) *reading {
	ns, elsewhere := s.Namespace(), s.Namespace()
	for name, app := range map[string]string{"web-c": "web", "web-a": "web", "db-b": "db", "web-b": "web"} {
		pod := check.PendingPod(name, map[string]string{"app": app})
		pod.Annotations = map[string]string{"example.com/note": "cached"}
		s.CreatePod(ns, pod)
	}
	s.CreatePod(elsewhere, check.PendingPod("web-z", map[string]string{"app": "web"}))
	rec, cfg := s.Recorder()
	factory := informers.NewSharedInformerFactory(s.ClientsetFor(cfg), 0) // of all namespaces
	pods := factory.Core().V1().Pods().Lister().Pods(ns)
	checkStart(s, factory)
	r := &reading{s: s, rec: rec, pods: pods, before: map[string]*corev1.Pod{}}
	for _, name := range []string{"web-c", "web-a", "db-b", "web-b"} {
		r.before[name] = r.cached(name).DeepCopy()
	}
	// An informer that lists first opens its watch a moment after it is in sync.
	s.Await("see the informer's watch", func() bool { return rec.Count(check.Match{Verb: "watch"}) > 0 })
	r.sent = rec.Count(check.Match{})
	return r
}

func (r *reading) cached(name string) *corev1.Pod {
	pod, err := r.pods.Get(name)
	r.s.Setup(err, "read pod "+name)
	return pod
}

func (r *reading) read(selector string) ([]*corev1.Pod, error) {
	return check.Call(r.s, func(context.Context) ([]*corev1.Pod, error) { return ReadPods(r.pods, selector) })
}

// judge reads the pods of a selector, and changes what comes back, as a caller may.
func (r *reading) judge(selector string, want []string, cause string) {
	s := r.s
	pods, err := r.read(selector)
	s.Requiref(err == nil, cause, "with the selector %q, ReadPods returned an error: %v", selector, err)
	names := podNames(pods)
	s.Requiref(check.SameElements(names, want), cause, "with the selector %q, ReadPods returned %v, want %v", selector, names, want)
	s.Requiref(slices.Equal(names, want), "a lister's order is that of a Go map: any",
		"with the selector %q, ReadPods returned %v, want them sorted by name", selector, names)
	r.judgeWhole("", pods, "return whole copies: DeepCopy")
	r.judgeUntouched("after a call with the selector "+selector,
		"cached objects are shared: change a copy, never the object that a lister returned")
	for _, pod := range pods {
		pod.Labels["app"] = "changed by the caller"
		pod.Annotations["example.com/note"] = "changed by the caller"
		pod.Spec.Containers[0].Image = "changed"
		pod.Status.Phase = corev1.PodFailed
	}
	r.judgeUntouched("after the caller changed what ReadPods had returned",
		"what a lister returns is the cached object itself, and a copy of the struct shares its maps and slices: return pod.DeepCopy()")
}

func (r *reading) judgeWhole(when string, pods []*corev1.Pod, cause string) {
	for _, pod := range pods {
		want := r.before[pod.Name]
		r.s.Requiref(reflect.DeepEqual(pod, want), cause,
			"%sthe returned pod %s is not what the cache holds:\n%+v\nwant\n%+v", when, pod.Name, pod, want)
	}
}

func (r *reading) judgeUntouched(when, cause string) {
	for name, want := range r.before {
		got := r.cached(name)
		r.s.Requiref(reflect.DeepEqual(got, want), cause,
			"%s, pod %s in the cache is not what it was:\n%+v\nwant\n%+v", when, name, got.ObjectMeta, want.ObjectMeta)
	}
}

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

// namedPod is a pod that no server has seen.
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

// checkCall calls a handler, has a panic be the step's fault, and wants the pods as they are.
func checkCall(s *check.S, what string, news func(), pods ...*corev1.Pod) {
	var before []*corev1.Pod
	for _, pod := range pods {
		before = append(before, pod.DeepCopy())
	}
	err := s.Call(func(context.Context) error { news(); return nil })
	s.Setup(err, "tell the handler of "+what)
	for i, pod := range pods {
		s.Requiref(reflect.DeepEqual(pod, before[i]), handedOutCause,
			"%s changed the pod that it was told of:\n%+v\nwant\n%+v", what, pod, before[i])
	}
}

func checkDrain(queue workqueue.TypedInterface[cache.ObjectName]) []cache.ObjectName {
	var keys []cache.ObjectName
	for queue.Len() > 0 {
		key, _ := queue.Get()
		keys = append(keys, key)
		queue.Done(key)
	}
	return keys
}

// checkMissed is a deletion that the informer did not see itself.
func checkMissed(pod *corev1.Pod) coreinformers.DeletedPod {
	unknown := &cache.DeletedFinalStateUnknown{Key: "shop/web"}
	if pod != nil {
		unknown.Obj = pod
	}
	return coreinformers.DeletedPod{OptionalObj: pod, FinalStateUnknown: unknown}
}

func checkKeys(s *check.S, queue workqueue.TypedInterface[cache.ObjectName]) checkHandler {
	return check.Must(s, "handler", func(context.Context) (checkHandler, error) { return KeyHandler(queue), nil })
}

func TestStep6_KeyHandler(t *testing.T) {
	check.Step(t, 6, "KeyHandler", func(s *check.S) {
		queue := workqueue.NewTyped[cache.ObjectName]()
		defer queue.ShutDown()
		handler := checkKeys(s, queue)
		pod, changed := namedPod("shop", "web", "1", "uid-1"), namedPod("shop", "web", "2", "uid-1")
		ending := changed.DeepCopy()
		ending.DeletionTimestamp, ending.Status.Phase = new(metav1.Now()), corev1.PodSucceeded
		const each = "the handler hands on the key at each event, and judges none: what it means is for those who take the key out"
		for _, tc := range []struct {
			what  string
			news  func()
			cause string
		}{
			{"an add", func() { handler.OnAdd(pod, false) }, ""},
			{"an add of the initial list", func() { handler.OnAdd(pod, true) }, ""},
			{"an update", func() { handler.OnUpdate(pod, changed) }, ""},
			{"an update without a change, which is a resync,", func() { handler.OnUpdate(pod, pod) }, each},
			{"an update to a state that has ended and is being deleted", func() { handler.OnUpdate(pod, ending) }, each},
			{"a delete", func() { handler.OnDelete(coreinformers.DeletedPod{OptionalObj: pod}) }, ""},
			{"a delete that was missed", func() { handler.OnDelete(checkMissed(pod)) }, ""},
			{"a delete of which only the key is known", func() { handler.OnDelete(checkMissed(nil)) }, ""},
		} {
			checkCall(s, tc.what, tc.news, pod)
			got := checkDrain(queue)
			s.Requiref(slices.Equal(got, []cache.ObjectName{cache.NewObjectName("shop", "web")}), keyCause(got, tc.cause),
				"after %s of pod shop/web, the queue holds %v, want shop/web once", tc.what, got)
		}
		judgeOtherKeys(s, handler, queue)
		judgeKeysLive(s)
	})
}

func keyCause(got []cache.ObjectName, none string) string {
	switch {
	case len(got) == 0 && none != "":
		return none
	case len(got) == 1 && got[0].Namespace == "":
		return "the key has no namespace: cache.MetaObjectToName gives both parts"
	}
	return "add, update and delete are handled alike: each adds the key, " +
		"and DeletedObject.GetObjectName gives it also where the pod is not known"
}

// judgeOtherKeys tells the handler of one pod three times, and of others.
func judgeOtherKeys(s *check.S, handler checkHandler, queue workqueue.TypedInterface[cache.ObjectName]) {
	checkCall(s, "three updates", func() {
		for i := range 3 {
			handler.OnUpdate(namedPod("shop", "web", "1", "uid-1"), namedPod("shop", "web", fmt.Sprint(i), "uid-1"))
		}
		handler.OnAdd(namedPod("shop", "db", "1", "uid-2"), false)
		handler.OnAdd(namedPod("other", "web", "1", "uid-3"), false)
	})
	got := checkDrain(queue)
	want := []cache.ObjectName{cache.NewObjectName("shop", "web"), cache.NewObjectName("shop", "db"), cache.NewObjectName("other", "web")}
	s.Requiref(slices.Equal(got, want), "the key is namespace and name: cache.MetaObjectToName; the queue itself keeps a key once",
		"after three updates of shop/web and an add of shop/db and of other/web, the queue holds %v", got)
}

// judgeKeysLive has the handler on a real informer, and reads the cache when the key comes out.
func judgeKeysLive(s *check.S) {
	ns := s.Namespace()
	s.CreatePod(ns, check.PendingPod("web", nil))
	rec, cfg := s.Recorder()
	outage := rec.Outage(podRequests)
	factory := checkFactory(s, cfg, ns)
	queue := workqueue.NewTyped[cache.ObjectName]()
	defer queue.ShutDown()
	checkStart(s, factory, checkAdd(s, factory, checkKeys(s, queue)))
	want := []cache.ObjectName{cache.NewObjectName(ns, "web")}
	s.Require(slices.Equal(checkDrain(queue), want), "a pod was there at the start, and its key is not in the queue",
		"an add hands the key over")
	outage.Expire(func() error { return checkDelete(s, ns, "web") })
	rec.Requiref(s.Eventually(func() bool { return queue.Len() > 0 }), "a deletion that was missed is a deletion",
		"the watch broke, pod web was deleted meanwhile, and its key did not come to the queue")
	s.Require(slices.Equal(checkDrain(queue), want), "the key of the pod that was deleted during a gap is wrong",
		"DeletedObject.GetObjectName")
}

// checkHeard keeps what a handler is told.
type checkHeard struct {
	mu   sync.Mutex
	news []string
	pods []*corev1.Pod
	last coreinformers.DeletedPod
}

func (h *checkHeard) add(text string, pods ...*corev1.Pod) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.news = append(h.news, text)
	h.pods = append(h.pods, pods...)
}

func (h *checkHeard) OnAdd(pod *corev1.Pod, initial bool) {
	text := "add " + pod.Name
	if initial {
		text += " (initial)"
	}
	h.add(text, pod)
}

func (h *checkHeard) OnUpdate(before, after *corev1.Pod) { h.add("update "+after.Name, before, after) }

func (h *checkHeard) OnDelete(pod coreinformers.DeletedPod) {
	h.add("delete "+pod.GetName(), pod.OptionalObj)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = pod
}

func (h *checkHeard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.news)
}

func checkChanges(s *check.S, next checkHandler) checkHandler {
	return check.Must(s, "handler", func(context.Context) (checkHandler, error) { return ChangesOnly(next), nil })
}

func TestStep7_ChangesOnly(t *testing.T) {
	check.Step(t, 7, "ChangesOnly", func(s *check.S) {
		judgeNews(s)
		first, another := namedPod("shop", "web", "10", "uid-1"), namedPod("shop", "web", "12", "uid-2")
		next := &checkHeard{}
		handler := checkChanges(s, next)
		checkCall(s, "an update with another UID", func() { handler.OnUpdate(first, another) })
		last := next.last
		s.Requiref(
			last.OptionalObj == first && last.FinalStateUnknown != nil && last.FinalStateUnknown.Obj == any(first) && last.GetKey() == "shop/web",
			"the old pod's last state is not known, and the old object is one from before: set OptionalObj, and FinalStateUnknown with the key "+
				"namespace/name and the object",
			"of an update with another UID, next's OnDelete got OptionalObj %v and FinalStateUnknown %+v", last.OptionalObj != nil,
			last.FinalStateUnknown)
		gone := checkMissed(first)
		checkCall(s, "a delete that was missed", func() { handler.OnDelete(gone) })
		s.Requiref(next.last == gone, "a delete goes on as it is, FinalStateUnknown with it: it tells next that the object is an old one",
			"of a delete that was missed, next's OnDelete got OptionalObj %v and FinalStateUnknown %+v", next.last.OptionalObj != nil,
			next.last.FinalStateUnknown)
		judgeChangesLive(s)
	})
}

// judgeNews tells the handler of one event after the other.
func judgeNews(s *check.S) {
	const (
		initialCause = "next wants to know whether it is part of the initial list: TypedResourceEventHandlerDetailedFuncs passes that on"
		fieldsCause  = "another resourceVersion is a change, of a field that you may not have thought of: compare the resourceVersions, " +
			"and not some of the fields"
		sameCause = "the same resourceVersion means that nothing changed: a resync, or a new list; drop it"
		uidCause  = "another UID is another pod of the same name: OnDelete of the old one, then OnAdd of the new one, not initial"
	)
	first, second := namedPod("shop", "web", "10", "uid-1"), namedPod("shop", "web", "11", "uid-1")
	older, another := namedPod("shop", "web", "9", "uid-1"), namedPod("shop", "web", "12", "uid-2")
	versionOnly := first.DeepCopy()
	versionOnly.ResourceVersion = "13"
	update := func(to *corev1.Pod) func(checkHandler) { return func(h checkHandler) { h.OnUpdate(first, to) } }
	remove := func(pod coreinformers.DeletedPod) func(checkHandler) { return func(h checkHandler) { h.OnDelete(pod) } }
	for _, tc := range []struct {
		what  string
		tell  func(checkHandler)
		news  []string
		pods  []*corev1.Pod
		cause string
	}{
		{"an add", func(h checkHandler) { h.OnAdd(first, false) }, []string{"add web"}, []*corev1.Pod{first}, "an add goes on as it is"},
		{"an add of the initial list", func(h checkHandler) { h.OnAdd(first, true) }, []string{"add web (initial)"},
			[]*corev1.Pod{first}, initialCause},
		{"an update with another resourceVersion", update(second), []string{"update web"}, []*corev1.Pod{first, second},
			"another resourceVersion is a change: pass it on"},
		{"an update with a resourceVersion of fewer digits", update(older), []string{"update web"}, []*corev1.Pod{first, older},
			"resourceVersions are compared for equality only"},
		{"an update in which nothing but the resourceVersion differs", update(versionOnly), []string{"update web"},
			[]*corev1.Pod{first, versionOnly}, fieldsCause},
		{"an update with the same resourceVersion", update(first.DeepCopy()), nil, nil, sameCause},
		{"a resync", update(first), nil, nil, "a resync hands over the same object twice; drop it"},
		{"an update with another UID", update(another), []string{"delete web", "add web"}, []*corev1.Pod{first, another}, uidCause},
		{"a delete", remove(coreinformers.DeletedPod{OptionalObj: first}), []string{"delete web"}, []*corev1.Pod{first},
			"a delete goes on as it is"},
		{"a delete of which only the key is known", remove(checkMissed(nil)), []string{"delete web"}, []*corev1.Pod{nil},
			"a delete goes on as it is, FinalStateUnknown with it"},
	} {
		next := &checkHeard{}
		handler := checkChanges(s, next)
		checkCall(s, tc.what, func() { tc.tell(handler) }, first, second, older, another, versionOnly)
		s.Requiref(slices.Equal(next.all(), tc.news), tc.cause, "of %s, next heard %q, want %q", tc.what, next.all(), tc.news)
		s.Requiref(slices.Equal(next.pods, tc.pods), "pass the objects on themselves, the old one as the old one",
			"of %s, next got other objects than those that came in", tc.what)
	}
}

// judgeChangesLive has an informer that replays its cache and lists anew.
func judgeChangesLive(s *check.S) {
	ns := s.Namespace()
	s.CreatePod(ns, check.PendingPod("same", nil))
	before := s.CreatePod(ns, check.PendingPod("reborn", nil))
	rec, cfg := s.Recorder()
	outage := rec.Outage(podRequests)
	factory := informers.NewSharedInformerFactoryWithOptions(s.ClientsetFor(cfg), time.Second, informers.WithNamespace(ns))
	plain, next := &checkHeard{}, &checkHeard{}
	checkAdd(s, factory, plain)
	checkStart(s, factory, checkAdd(s, factory, checkChanges(s, next)))
	outage.Expire(func() error {
		if err := checkDelete(s, ns, "reborn"); err != nil {
			return err
		}
		_, err := s.Clientset().CoreV1().Pods(ns).Create(s.Context(), check.PendingPod("reborn", nil), metav1.CreateOptions{})
		return err
	})
	s.Await("see the new pod in the informer", func() bool {
		now, err := factory.Core().V1().Pods().Lister().Pods(ns).Get("reborn")
		return err == nil && now.UID != before.UID
	})
	heardSoFar := len(plain.all())
	s.Await("see a resync after the new list", func() bool { return len(plain.all()) >= heardSoFar+4 })
	s.Eventually(func() bool { return len(next.all()) >= 4 })
	news := next.all()
	slices.Sort(news[:min(2, len(news))])
	want := []string{"add reborn (initial)", "add same (initial)", "delete reborn", "add reborn"}
	s.Requiref(slices.Equal(news, want),
		"a resync and an unchanged pod of a new list have the same resourceVersion; a pod that was deleted and created again has another UID",
		"two pods were there, the watch broke, pod reborn was deleted and created again meanwhile, then came resyncs; next heard\n  %s\nwant\n "+
			" %s\nall that the informer said:\n  %s", strings.Join(news, "\n  "), strings.Join(want, "\n  "), strings.Join(plain.all(), "\n  "))
}

type rateLimited = workqueue.TypedRateLimitingInterface[cache.ObjectName]

func newQueue() rateLimited {
	const first, longest = 5 * time.Millisecond, 20 * time.Millisecond
	return workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](first, longest))
}

func webKey(i int) cache.ObjectName { return cache.NewObjectName("shop", fmt.Sprintf("web-%d", i)) }

func TestStep8_RunWorkers(t *testing.T) {
	check.Step(t, 8, "RunWorkers", func(s *check.S) {
		judgeSideBySide(s)
		judgeOnceAtATime(s)
		judgeFailures(s)
		judgeWorkersEnd(s)
		for _, n := range []int{0, -1} {
			ctx, cancel := context.WithTimeout(s.Context(), time.Second)
			queue := newQueue()
			nothing := func(context.Context, cache.ObjectName) error { return nil }
			err := s.Call(func(context.Context) error { return RunWorkers(ctx, queue, n, nothing) })
			cancel()
			queue.ShutDown()
			s.Requiref(err != nil, "nobody would ever take a key out", "with %d workers, RunWorkers returned no error", n)
		}
	})
}

// running is RunWorkers in a goroutine, as the program has it.
type running struct {
	s      *check.S
	queue  rateLimited
	stop   context.CancelFunc
	result chan error
}

func runWorkers(s *check.S, workers int, handle func(context.Context, cache.ObjectName) error) *running {
	ctx, stop := context.WithCancel(s.Context())
	r := &running{s: s, queue: newQueue(), stop: stop, result: make(chan error, 1)}
	s.T().Cleanup(stop)
	s.T().Cleanup(r.queue.ShutDown)
	go func() { r.result <- RunWorkers(ctx, r.queue, workers, handle) }()
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

// end ends the context and waits until RunWorkers returns.
func (r *running) end() error {
	r.stop()
	return r.s.CallWithin(10*time.Second, func(ctx context.Context) error {
		select {
		case err := <-r.result:
			return err
		case <-ctx.Done():
			<-r.result // so that it counts as one that does not return
			return nil
		}
	})
}

// eventually waits until ok is true. A RunWorkers that returns meanwhile is too early.
func (r *running) eventually(ok func() bool) bool {
	came := r.s.Eventually(func() bool { return r.ended() || ok() })
	if r.ended() {
		r.s.Fail("RunWorkers returned before ctx had ended: "+check.ErrorText(r.end()), "it goes on until ctx ends, whatever handle returns")
	}
	return came
}

// begins wants a call of handle for a key that was added.
func (r *running) begins(called func() bool) {
	r.s.Require(r.eventually(called), "a key was added, and handle was not called",
		"a worker takes keys out with Get and calls handle with each")
}

// most counts how many calls of handle run side by side at the most.
type most struct{ now, most atomic.Int64 }

func (m *most) enter() int64 {
	n := m.now.Add(1)
	for old := m.most.Load(); n > old && !m.most.CompareAndSwap(old, n); old = m.most.Load() {
	}
	return n
}

// judgeSideBySide has three calls of handle wait for each other.
func judgeSideBySide(s *check.S) {
	const keys = 12
	var m most
	var handled sync.Map
	count := func() (n int) {
		handled.Range(func(any, any) bool { n++; return true })
		return n
	}
	all := make(chan struct{})
	release := sync.OnceFunc(func() { close(all) })
	time.AfterFunc(3*time.Second, release)
	r := runWorkers(s, 3, func(ctx context.Context, key cache.ObjectName) error {
		defer m.now.Add(-1)
		if m.enter() >= 3 {
			release()
		}
		<-all
		time.Sleep(5 * time.Millisecond)
		handled.Store(key, true)
		return nil
	})
	for i := range keys {
		r.queue.Add(webKey(i))
	}
	s.Requiref(r.eventually(func() bool { return count() == keys }), "a worker goes on taking keys until the queue is shut down",
		"%d of %d keys were handled", count(), keys)
	s.Requiref(m.most.Load() == 3, "start as many goroutines as workers says, and no goroutine for each key",
		"with 3 workers, %d calls of handle ran side by side at the most", m.most.Load())
	err := r.end()
	s.Requiref(err == nil, "the end of ctx is the regular end: return nil", "ctx ended, and RunWorkers returned: %v", err)
}

// judgeOnceAtATime adds a key again while it is being handled.
func judgeOnceAtATime(s *check.S) {
	key, other := webKey(1), webKey(2)
	var m most
	var calls, others atomic.Int64
	release := make(chan struct{})
	r := runWorkers(s, 3, func(_ context.Context, k cache.ObjectName) error {
		if k == other {
			others.Add(1)
			return nil
		}
		m.enter()
		defer m.now.Add(-1)
		calls.Add(1)
		<-release
		return nil
	})
	r.queue.Add(key)
	r.begins(func() bool { return calls.Load() > 0 })
	r.queue.Add(key)
	r.queue.Add(other)
	s.Require(s.Eventually(func() bool { return others.Load() > 0 }), "one worker is busy, two are free, and another key is not handled",
		"each worker takes keys for itself")
	time.Sleep(100 * time.Millisecond)
	close(release)
	again := s.Eventually(func() bool { return calls.Load() >= 2 })
	s.Requiref(m.most.Load() == 1,
		"Done says that the work on a key is over: call it after handle, not before; the queue gives a key to one worker only until then",
		"a key that was added again while it was handled was handled %d times at once", m.most.Load())
	s.Require(again, "a key that was added again while it was handled was not handled a second time",
		"Done is missing: the queue takes the key for being worked on for ever, and never gives it out again")
	r.queue.Add(key)
	s.Require(s.Eventually(func() bool { return calls.Load() >= 3 }), "a key that was added a third time was not handled",
		"Done must follow every Get")
	_ = r.end()
}

// failing handles a key that fails, and counts for each call the failures that the queue knows of.
type failing struct {
	mu       sync.Mutex
	failures int // how often it fails
	requeues []int
}

func (f *failing) handle(requeues int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requeues = append(f.requeues, requeues)
	if len(f.requeues) <= f.failures {
		return fmt.Errorf("not yet, says the check: %w", context.DeadlineExceeded) // of a request of handle's own
	}
	return nil
}

func (f *failing) seen() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requeues)
}

// judgeFailures has handle fail for one key, with a single worker.
func judgeFailures(s *check.S) {
	bad, good := webKey(1), webKey(2)
	f := &failing{failures: 16} // more than a limit on retries that somebody may have copied
	var goods atomic.Int64
	var r *running
	r = runWorkers(s, 1, func(_ context.Context, key cache.ObjectName) error {
		if key == good {
			goods.Add(1)
			return nil
		}
		return f.handle(r.queue.NumRequeues(key))
	})
	r.queue.Add(bad)
	r.begins(func() bool { return len(f.seen()) >= 1 })
	r.queue.Add(good)
	s.Require(r.eventually(func() bool { return goods.Load() > 0 }), "handle returned an error for one key, and the next key was not handled",
		"a worker ends with its queue, not with an error of handle")
	done := r.eventually(func() bool { return len(f.seen()) > f.failures })
	seen := f.seen()
	cause := "after an error the key has to come back: AddRateLimited"
	if len(seen) > 1 {
		cause += ", each time, without a limit: nobody else brings a key back that was given up"
	}
	s.Requiref(done, cause, "handle fails for a key %d times and was called %d times", f.failures, len(seen))
	for i := range f.failures + 1 {
		s.Requiref(seen[i] == i,
			"AddRateLimited counts a failure and adds the key after a pause that grows with them; Add comes back at once, for ever, and Forget is "+
				"for success", "before the calls of handle for the failing key, the queue counted %v failures, want 0, 1, 2 and so on", seen)
	}
	forgotten := s.Eventually(func() bool { return r.queue.NumRequeues(bad) == 0 })
	s.Requiref(forgotten, "Forget after success: else the next failure, days later, waits as long as if they had never ended",
		"handle succeeded in the end, and the queue still counts %d failures of the key", r.queue.NumRequeues(bad))
	time.Sleep(300 * time.Millisecond)
	s.Requiref(len(f.seen()) == f.failures+1, "add the key again after an error only",
		"handle succeeded at last, and the key came back: %d calls", len(f.seen()))
	_ = r.end()
}

// judgeWorkersEnd ends ctx while one call of handle runs.
func judgeWorkersEnd(s *check.S) {
	var entered, finished atomic.Bool
	var zero atomic.Int64
	r := runWorkers(s, 3, func(ctx context.Context, key cache.ObjectName) error {
		if key == (cache.ObjectName{}) {
			zero.Add(1)
			return nil
		}
		entered.Store(true)
		<-ctx.Done()
		time.Sleep(300 * time.Millisecond) // the call cleans up
		finished.Store(true)
		return ctx.Err()
	})
	r.queue.Add(webKey(1))
	r.begins(entered.Load)
	err := r.end()
	s.Require(finished.Load(), "ctx ended, and RunWorkers returned while a call of handle was still running",
		"wait until every worker has returned: a sync.WaitGroup")
	s.Requiref(err == nil, "the end of ctx is the regular end, and an error of handle is not RunWorkers' own: return nil",
		"ctx ended, and RunWorkers returned: %v", err)
	s.Require(r.queue.ShuttingDown(), "RunWorkers returned, and the queue is not shut down",
		"shut the queue down: else handlers fill a queue that nobody empties")
	time.Sleep(50 * time.Millisecond)
	s.Require(zero.Load() == 0, "handle was called with an empty key",
		"Get returns an empty key and true when the queue is shut down and empty: return then")
}

func TestStep9_StopAll(t *testing.T) {
	check.Step(t, 9, "StopAll", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web", nil))
		judgeSlowInformers(s, ns)
		judgeSlowWorkers(s, ns)
		judgeFailedWorkers(s, ns)
		judgeHung(s, ns)
		judgeNothingToStop(s, ns)
	})
}

const stopThenWait = "call stop, then wait"

// judgeSlowInformers has the workers end at once, and a handler take its time.
func judgeSlowInformers(s *check.S, ns string) {
	busy := make(chan struct{})
	f := startFixture(s, ns, busy)
	f.workers <- nil
	f.afterStop(200*time.Millisecond, func() { close(busy) })
	err := f.stopAll(10 * time.Second)
	s.Require(f.ctx.Err() != nil, "StopAll returned ("+check.ErrorText(err)+"), and stop was not called",
		"the informers run until their context ends: call stop first, Shutdown only waits")
	s.Requiref(err == nil, stopThenWait, "everything stops, and StopAll returned: %v", err)
	left := informerGoroutines()
	s.Require(left == "", "StopAll returned nil, and a goroutine of the informer still runs:\n"+left,
		"factory.Shutdown waits until all of them have ended")
}

// judgeSlowWorkers has the informers end at once, and the workers take their time.
func judgeSlowWorkers(s *check.S, ns string) {
	f := startFixture(s, ns, nil)
	f.afterStop(300*time.Millisecond, func() {
		f.working.Store(false)
		f.workers <- nil
	})
	err := f.stopAll(10 * time.Second)
	s.Requiref(err == nil, stopThenWait, "everything stops, and StopAll returned: %v", err)
	s.Require(!f.working.Load(), "StopAll returned while the workers were still at work",
		"receive from workers: that is how the caller learns that they have ended")
}

// judgeFailedWorkers has the workers send an error while a handler takes its time.
func judgeFailedWorkers(s *check.S, ns string) {
	failed := errors.New("the workers failed, says the check")
	late := make(chan struct{})
	f := startFixture(s, ns, late)
	f.workers <- failed
	f.afterStop(200*time.Millisecond, func() { close(late) })
	err := f.stopAll(10 * time.Second)
	s.Requiref(errors.Is(err, failed), "what comes from workers is dropped, or not wrapped with %w",
		"the workers sent an error; want it back, wrapped, got %s", check.ErrorText(err))
	left := informerGoroutines()
	s.Require(left == "", "the workers failed, and StopAll left a goroutine of the informer behind:\n"+left,
		"an error of the workers is no reason not to wait for the informers")
}

// judgeHung has a handler hang, then a worker.
func judgeHung(s *check.S, ns string) {
	release := make(chan struct{})
	f := startFixture(s, ns, release)
	f.workers <- nil
	hung := f.stopAll(time.Second)
	s.Require(hung != nil, "a handler hung, and StopAll returned nil", "not everything has stopped: say so")
	close(release)
	f.factory.Shutdown()

	f = startFixture(s, ns, nil)
	err := f.stopAll(time.Second)
	s.Require(err != nil, "a worker hung, and StopAll returned nil", "not everything has stopped: say so")
	s.Requiref(err.Error() != hung.Error(), "the error says what still runs: name the workers or the informers",
		"a handler hung, then a worker did, and StopAll returned the same text for both: %v", err)
	s.Require(f.ctx.Err() != nil, "a worker hung, and stop was not called", "workers end when their context does: call stop first")
}

// judgeNothingToStop has a factory that was not started.
func judgeNothingToStop(s *check.S, ns string) {
	ctx, stop := context.WithCancel(s.Context())
	workers := make(chan error, 1)
	workers <- nil
	err := s.Call(func(context.Context) error {
		return StopAll(stop, checkFactory(s, s.Config(), ns), workers, 5*time.Second)
	})
	s.Require(err == nil && ctx.Err() != nil,
		"the factory had no informer, the workers had ended, and StopAll returned: "+check.ErrorText(err), "there is nothing to wait for")
}

// fixture is a started factory with a handler.
type fixture struct {
	s       *check.S
	ctx     context.Context
	stop    context.CancelFunc
	factory informers.SharedInformerFactory
	workers chan error
	working atomic.Bool
}

// startFixture starts a factory whose handler is at work until release, if there is one, is closed.
func startFixture(s *check.S, ns string, release <-chan struct{}) *fixture {
	f := &fixture{s: s, factory: checkFactory(s, s.Config(), ns), workers: make(chan error, 1)}
	f.working.Store(true)
	f.ctx, f.stop = context.WithCancel(s.Context())
	s.T().Cleanup(f.stop)
	var entered atomic.Bool
	checkAdd(s, f.factory, coreinformers.PodHandlerFuncs{AddFunc: func(*corev1.Pod) {
		entered.Store(true)
		if release != nil {
			<-release
		}
	}})
	f.factory.StartWithContext(f.ctx)
	s.Await("see the handler at work", func() bool { return entered.Load() && f.factory.Core().V1().Pods().Informer().HasSynced() })
	return f
}

// afterStop does something a while after the context has ended.
func (f *fixture) afterStop(by time.Duration, do func()) {
	context.AfterFunc(f.ctx, func() { time.AfterFunc(by, do) })
}

func (f *fixture) stopAll(timeout time.Duration) error {
	return f.s.CallWithin(timeout+10*time.Second, func(context.Context) error { return StopAll(f.stop, f.factory, f.workers, timeout) })
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
