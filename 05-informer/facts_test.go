package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"example.com/client-go-workshop/internal/check"
)

// fact is what most facts need: a namespace, a client of its own that sees
// everything, and a recorded factory.
type fact struct {
	t       *testing.T
	ns      string
	api     kubernetes.Interface
	rec     *check.Recorder
	outage  *check.Outage
	factory informers.SharedInformerFactory
	ctx     context.Context
	stop    context.CancelFunc
}

func newFact(t *testing.T, resync time.Duration, options ...informers.SharedInformerOption) *fact {
	t.Helper()
	f := &fact{t: t, ns: check.FactNamespace(t), rec: &check.Recorder{}}
	api, err := kubernetes.NewForConfig(check.FactConfig(t))
	require.NoError(t, err)
	f.api = api
	f.outage = f.rec.Outage(podRequests)
	f.factory = f.newFactory(resync, options...)
	f.ctx, f.stop = context.WithCancel(t.Context())
	t.Cleanup(f.stop)
	return f
}

func (f *fact) newFactory(resync time.Duration, options ...informers.SharedInformerOption) informers.SharedInformerFactory {
	cfg := check.FactConfig(f.t)
	cfg.Wrap(f.rec.Wrap)
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(f.t, err)
	return informers.NewSharedInformerFactoryWithOptions(client, resync, append(options, informers.WithNamespace(f.ns))...)
}

func (f *fact) pods() coreinformers.TypedPodInformer { return f.factory.Core().V1().Pods() }

func (f *fact) create(names ...string) {
	f.t.Helper()
	for _, name := range names {
		_, err := f.api.CoreV1().Pods(f.ns).Create(f.t.Context(), check.PendingPod(name, map[string]string{"app": "web"}), metav1.CreateOptions{})
		require.NoError(f.t, err)
	}
}

func (f *fact) remove(name string) error {
	return f.api.CoreV1().Pods(f.ns).Delete(f.t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
}

func (f *fact) add(handler cache.TypedResourceEventHandler[*corev1.Pod]) cache.ResourceEventHandlerRegistration {
	f.t.Helper()
	registration, err := f.pods().TypedInformer().AddTypedEventHandler(handler)
	require.NoError(f.t, err)
	return registration
}

// start starts what has been asked for and waits until it has synced.
func (f *fact) start(handlers ...cache.ResourceEventHandlerRegistration) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.ctx, 20*time.Second)
	defer cancel()
	f.factory.StartWithContext(f.ctx)
	require.NoError(f.t, f.factory.WaitForCacheSyncWithContext(ctx).AsError())
	for _, handler := range handlers {
		require.True(f.t, cache.WaitFor(ctx, "", handler.HasSyncedChecker()))
	}
}

func (f *fact) cached(name string) *corev1.Pod {
	pod, err := f.pods().Lister().Pods(f.ns).Get(name)
	if err != nil {
		return nil
	}
	return pod
}

func soon(t *testing.T, ok func() bool, what string) {
	t.Helper()
	require.Eventually(t, ok, 15*time.Second, 20*time.Millisecond, what)
}

func (f *fact) count(verb string) int { return f.rec.Count(check.Match{Verb: verb, Resource: "pods"}) }

// --- the start

func TestFactAStartCostsOneWatch(t *testing.T) {
	f := newFact(t, 0)
	f.create("a", "b")
	f.pods().Informer()
	f.start()

	assert.Zero(t, f.count("list"))
	watches := f.rec.Requests(check.Match{Verb: "watch", Resource: "pods"})
	require.Len(t, watches, 1)
	assert.Equal(t, "/api/v1/namespaces/"+f.ns+"/pods", watches[0].Path)
	assert.Equal(t, "true", watches[0].Query.Get("sendInitialEvents"))
	assert.Equal(t, "NotOlderThan", watches[0].Query.Get("resourceVersionMatch"))
	assert.Len(t, f.pods().Informer().GetStore().ListKeys(), 2)
}

func TestFactWhereTheStreamIsRefusedAListComesFirst(t *testing.T) {
	f := newFact(t, 0)
	f.create("a", "b")
	rec := &check.Recorder{}
	rec.Answer(check.Match{Verb: "watch", Resource: "pods"}, 0, 1, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid,
		"sendInitialEvents is forbidden")
	f.rec = rec
	f.factory = f.newFactory(0)
	f.pods().Informer()
	f.start()
	soon(t, func() bool { return f.count("watch") == 2 }, "the second watch")

	assert.Equal(t, 1, f.count("list"))
	second := rec.Requests(check.Match{Verb: "watch", Resource: "pods"})[1]
	assert.Empty(t, second.Query.Get("sendInitialEvents"))
	assert.NotEmpty(t, second.Query.Get("resourceVersion"), "the watch goes on where the list ended")
}

func TestFactAHandMadeListWatchSaysWhatItCannotDo(t *testing.T) {
	source := func() *cache.ListWatch {
		return &cache.ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (apiruntime.Object, error) {
				return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
			},
			// As a fake does, it knows nothing of sendInitialEvents.
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				return watch.NewFake(), nil
			},
		}
	}
	synced := func(lw cache.ListerWatcher) bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		informer := cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, nil)
		go informer.RunWithContext(ctx)
		return cache.WaitFor(ctx, "", informer.HasSyncedChecker())
	}
	assert.False(t, synced(source()), "the informer waits for a bookmark that does not come")
	assert.True(t, synced(cache.ToListWatcherWithWatchListSemantics(source(), plainClient{})))
}

// plainClient says of itself that it cannot stream a list, as fake clientsets do.
type plainClient struct{}

func (plainClient) IsWatchListSemanticsUnSupported() bool { return true }

func TestFactPodsAloneAsksForNothing(t *testing.T) {
	f := newFact(t, 0)
	f.pods()
	f.factory.StartWithContext(f.ctx)
	assert.Empty(t, f.factory.WaitForCacheSyncWithContext(f.ctx).Synced)
	time.Sleep(200 * time.Millisecond)
	assert.Zero(t, f.rec.Count(check.Match{}))

	f.pods().Lister() // Lister asks for the informer, as Informer and TypedInformer do
	f.start()
	assert.Equal(t, 1, f.count("watch"))
}

func TestFactStartStartsWhatWasAskedForByThen(t *testing.T) {
	f := newFact(t, 0)
	f.pods().Informer()
	f.start()
	maps := f.factory.Core().V1().ConfigMaps().Informer()
	time.Sleep(200 * time.Millisecond)
	assert.False(t, maps.HasSynced())
	assert.Zero(t, f.rec.Count(check.Match{Resource: "configmaps"}))

	f.start()
	assert.True(t, maps.HasSynced())
	assert.Equal(t, 1, f.count("watch"), "the second start leaves the running informer alone")
}

func TestFactAWaitBeforeTheStartWaitsForNothing(t *testing.T) {
	f := newFact(t, 0)
	f.pods().Informer()
	result := f.factory.WaitForCacheSyncWithContext(f.ctx)
	assert.Empty(t, result.Synced, "no informer is started, so none is waited for")
	assert.NoError(t, result.AsError())
}

func TestFactStartDoesNotWait(t *testing.T) {
	f := newFact(t, 0)
	rec := &check.Recorder{}
	rec.Delay(podRequests, check.Always, time.Minute)
	f.rec = rec
	f.factory = f.newFactory(0)
	f.create("a")
	f.pods().Informer()
	f.factory.StartWithContext(f.ctx)
	assert.False(t, f.pods().Informer().HasSynced())
	all, err := f.pods().Lister().List(labels.Everything())
	assert.NoError(t, err, "an empty cache is no error")
	assert.Empty(t, all)
}

func TestFactTheCacheIsInSyncBeforeTheHandlers(t *testing.T) {
	f := newFact(t, 0)
	f.create("a", "b", "c")
	release := make(chan struct{})
	registration := f.add(coreinformers.PodHandlerFuncs{AddFunc: func(*corev1.Pod) { <-release }})
	f.start()
	time.Sleep(100 * time.Millisecond)
	assert.True(t, f.pods().Informer().HasSynced())
	assert.False(t, registration.HasSynced())

	close(release)
	soon(t, registration.HasSynced, "the handler is in sync")
}

func TestFactARefusedListIsTriedForEver(t *testing.T) {
	f := newFact(t, 0)
	cfg := check.FactConfig(t)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + f.ns + ":default"}
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(t, err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(f.ns))
	informer := factory.Core().V1().Pods().Informer()
	var refused atomic.Int64
	require.NoError(t, informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if apierrors.IsForbidden(err) {
			refused.Add(1)
		}
	}))
	factory.StartWithContext(f.ctx)
	soon(t, func() bool { return refused.Load() >= 2 }, "a second try")
	assert.False(t, informer.HasSynced())

	err = informer.SetWatchErrorHandlerWithContext(cache.DefaultWatchErrorHandler)
	assert.ErrorContains(t, err, "already started", "the handler is set before the start")
}

func TestFactAPollingWaitSaysYesOrNo(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no time left"))
	assert.False(t, cache.WaitForCacheSync(ctx.Done(), func() bool { return false }))

	f := newFact(t, 0)
	f.rec = &check.Recorder{}
	f.rec.Delay(podRequests, check.Always, time.Minute)
	f.factory = f.newFactory(0)
	f.pods().Informer()
	f.factory.StartWithContext(f.ctx)
	err := f.factory.WaitForCacheSyncWithContext(ctx).AsError()
	assert.ErrorContains(t, err, "*v1.Pod")
	assert.ErrorContains(t, err, "no time left")
}

// --- from the server to the queue

func TestFactEventsCostNoRequest(t *testing.T) {
	f := newFact(t, 0)
	f.add(coreinformers.PodHandlerFuncs{})
	f.start()
	before := f.rec.Count(check.Match{})
	for i := range 10 {
		f.create(fmt.Sprintf("web-%d", i))
	}
	soon(t, func() bool { return len(f.pods().Informer().GetStore().ListKeys()) == 10 }, "10 pods")
	assert.Equal(t, before, f.rec.Count(check.Match{}), "the object is in the watch event")
}

func TestFactACutWatchGoesOnWhereItEnded(t *testing.T) {
	f := newFact(t, 0)
	f.create("a")
	next := &checkHeard{}
	f.start(f.add(next))
	f.create("b")
	soon(t, func() bool { return len(next.all()) == 2 }, "an event")
	require.Equal(t, 1, f.outage.Cut())
	soon(t, func() bool { return f.count("watch") == 2 }, "the next watch")
	f.create("c")
	soon(t, func() bool { return len(next.all()) == 3 }, "the new pod")

	second := f.rec.Requests(check.Match{Verb: "watch"})[1]
	assert.NotEmpty(t, second.Query.Get("resourceVersion"))
	assert.Empty(t, second.Query.Get("sendInitialEvents"))
	assert.Zero(t, f.count("list"))
	assert.Equal(t, []string{"add a (initial)", "add b", "add c"}, next.all(), "nothing is told twice")
}

func TestFactAWatchThatEndsAtOnceIsFollowedByANewList(t *testing.T) {
	f := newFact(t, 0)
	f.create("a")
	f.pods().Informer()
	f.start()
	require.Equal(t, 1, f.outage.Cut(), "within a second, and before the first event")
	soon(t, func() bool { return f.count("watch") == 2 }, "the next watch")
	assert.Equal(t, "true", f.rec.Requests(check.Match{Verb: "watch"})[1].Query.Get("sendInitialEvents"))
}

func TestFactA410IsFollowedByANewList(t *testing.T) {
	f := newFact(t, 0)
	f.pods().Informer()
	f.start()
	f.create("a")
	soon(t, func() bool { return f.cached("a") != nil }, "an event")
	f.outage.Expire(func() error { return nil })
	soon(t, func() bool { return f.count("watch") == 3 }, "the third watch")

	watches := f.rec.Requests(check.Match{Verb: "watch"})
	assert.Equal(t, http.StatusGone, watches[1].Status)
	assert.Equal(t, "true", watches[2].Query.Get("sendInitialEvents"))
	assert.Equal(t, watches[1].Query.Get("resourceVersion"), watches[2].Query.Get("resourceVersion"), "not older than what is known")
}

func TestFactAnInformerHasOneKind(t *testing.T) {
	f := newFact(t, 0)
	next := &checkHeard{}
	f.start(f.add(next))
	_, err := f.api.CoreV1().ConfigMaps(f.ns).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	f.create("a")
	soon(t, func() bool { return len(next.all()) > 0 }, "an event")
	assert.Equal(t, []string{"add a"}, next.all())
	assert.Equal(t, f.rec.Count(check.Match{}), f.rec.Count(podRequests))
}

func TestFactTheReflectorFillsTheQueue(t *testing.T) {
	fifo := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{AtomicEvents: true})
	defer fifo.Close()
	events := watch.NewFake()
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (apiruntime.Object, error) {
			return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Pod{*namedPod("a", "first", "1", "u1")}}, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return events, nil },
	}, plainClient{})
	go cache.NewReflector(lw, &corev1.Pod{}, fifo, 0).RunWithContext(t.Context())
	go events.Add(namedPod("a", "second", "2", "u2"))

	list := pop(t, fifo)
	assert.Equal(t, cache.ReplacedAll, list.Type, "the first list is one item")
	assert.Len(t, list.Object.(cache.ReplacedAllInfo).Objects, 1)
	event := pop(t, fifo)
	assert.Equal(t, cache.Added, event.Type)
	assert.Equal(t, "second", event.Object.(*corev1.Pod).Name)
}

func pop(t *testing.T, queue cache.Queue) cache.Delta {
	t.Helper()
	var item cache.Delta
	_, err := queue.Pop(func(obj any, _ bool) error {
		item = obj.(cache.Deltas)[0]
		return nil
	})
	require.NoError(t, err)
	return item
}

func TestFactTheInformerPopsFromARealFIFO(t *testing.T) {
	f := newFact(t, 0)
	f.pods().Informer()
	f.start()
	buf := make([]byte, 4<<20)
	stacks := string(buf[:runtime.Stack(buf, true)])
	assert.Contains(t, stacks, "cache.(*RealFIFO).Pop")
	assert.NotContains(t, stacks, "cache.(*DeltaFIFO)")
}

func TestFactTheQueueIsNoStore(t *testing.T) {
	for _, queue := range []reflect.Type{reflect.TypeFor[*cache.RealFIFO](), reflect.TypeFor[*cache.DeltaFIFO]()} {
		for _, method := range []string{"List", "ListKeys", "Get", "GetByKey"} {
			_, has := queue.MethodByName(method)
			assert.False(t, has, "%s has %s", queue, method)
		}
	}
	fifo := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{AtomicEvents: true})
	require.NoError(t, fifo.Add(namedPod("a", "web", "1", "u1")))
	pop(t, fifo)
	fifo.Close()
	_, err := fifo.Pop(func(any, bool) error { return nil })
	assert.ErrorIs(t, err, cache.ErrFIFOClosed, "what was popped is gone")
}

func TestFactTheQueueHasNoMaximum(t *testing.T) {
	for _, options := range []reflect.Type{reflect.TypeFor[cache.RealFIFOOptions](), reflect.TypeFor[cache.DeltaFIFOOptions]()} {
		for field := range options.Fields() {
			assert.NotContains(t, strings.ToLower(field.Name), "size", "%s", options)
			assert.NotContains(t, strings.ToLower(field.Name), "max", "%s", options)
		}
	}
	fifo := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{AtomicEvents: true})
	for i := range 100_000 {
		require.NoError(t, fifo.Add(namedPod("a", fmt.Sprint(i), "1", "u")))
	}
}

func TestFactADeltaFIFOTakesTwoArguments(t *testing.T) {
	//nolint:staticcheck // the deprecated function is what this fact is about
	made := reflect.TypeOf(cache.NewDeltaFIFO)
	require.Equal(t, 2, made.NumIn(), "a sample that hands over four, the last one a maximum, does not compile")
	assert.Equal(t, reflect.TypeFor[cache.KeyFunc](), made.In(0))
	assert.Equal(t, reflect.TypeFor[cache.KeyListerGetter](), made.In(1))
	assert.False(t, made.IsVariadic())
}

func TestFactRealFIFOKeepsEveryEvent(t *testing.T) {
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	fill := func(queue cache.Queue) cache.Queue {
		for _, version := range []string{"1", "2", "3"} {
			require.NoError(t, queue.Update(namedPod("a", "web", version, "u1")))
		}
		require.NoError(t, queue.Update(namedPod("a", "db", "4", "u2")))
		return queue
	}
	popAll := func(queue cache.Queue, n int) (sizes []int) {
		for range n {
			_, err := queue.Pop(func(obj any, _ bool) error {
				sizes = append(sizes, len(obj.(cache.Deltas)))
				return nil
			})
			require.NoError(t, err)
		}
		return sizes
	}
	real := fill(cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: store}))
	assert.Equal(t, []int{1, 1, 1, 1}, popAll(real, 4), "one by one, in the order in which they came")
	old := fill(cache.NewDeltaFIFOWithOptions(cache.DeltaFIFOOptions{KnownObjects: store}))
	assert.Equal(t, []int{3, 1}, popAll(old, 2), "what old texts describe: heaped up by key")
}

func TestFactDeltasHaveThreeTypesMore(t *testing.T) {
	fifo := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{AtomicEvents: true, EmitDeltaTypeBookmark: true})
	require.NoError(t, fifo.Replace([]any{namedPod("a", "x", "1", "u1"), namedPod("a", "y", "1", "u2")}, "1"))
	require.NoError(t, fifo.Resync())
	require.NoError(t, fifo.Bookmark("7"))
	assert.Equal(t, cache.ReplacedAll, pop(t, fifo).Type, "a list of two is one item")
	assert.Equal(t, cache.SyncAll, pop(t, fifo).Type, "and so is a resync")
	assert.Equal(t, cache.Bookmark, pop(t, fifo).Type)
}

// --- the transform

func TestFactTheTransformComesFirst(t *testing.T) {
	mark := func(obj any) (any, error) {
		if object, err := meta.Accessor(obj); err == nil {
			object.SetAnnotations(map[string]string{"seen": "by the transform"})
		}
		return obj, nil
	}
	f := newFact(t, 0, informers.WithTransform(mark))
	f.create("a")
	var marked, all atomic.Int64
	f.start(f.add(coreinformers.PodHandlerFuncs{AddFunc: func(pod *corev1.Pod) {
		all.Add(1)
		if pod.Annotations["seen"] != "" {
			marked.Add(1)
		}
	}}))
	f.create("b")
	soon(t, func() bool { return all.Load() == 2 }, "two pods")
	assert.EqualValues(t, 2, marked.Load(), "also on what comes later")
	assert.Equal(t, "by the transform", f.cached("a").Annotations["seen"])
}

func TestFactTheTransformMayRunTwice(t *testing.T) {
	var calls atomic.Int64
	count := func(obj any) (any, error) {
		calls.Add(1)
		return obj, nil
	}
	f := newFact(t, 0, informers.WithTransform(count))
	f.create("a")
	f.pods().Informer()
	f.start()
	assert.EqualValues(t, 2, calls.Load(), "of one pod in the first stream")
}

func TestFactATransformIsSetBeforeTheStart(t *testing.T) {
	f := newFact(t, 0)
	informer := f.pods().Informer()
	f.start()
	assert.ErrorContains(t, informer.SetTransform(func(obj any) (any, error) { return obj, nil }), "already started")
}

// --- the cache and the handlers

func TestFactTheHandlerSeesTheListersPointer(t *testing.T) {
	f := newFact(t, 0)
	f.create("web")
	var seen atomic.Pointer[corev1.Pod]
	f.start(f.add(coreinformers.PodHandlerFuncs{AddFunc: seen.Store}))
	assert.Same(t, seen.Load(), f.cached("web"), "nothing was copied on the way")
	again, err := f.pods().Lister().Pods(f.ns).List(labels.Everything())
	require.NoError(t, err)
	assert.Same(t, seen.Load(), again[0])
}

func TestFactTheMutationDetectorFindsAChangedCache(t *testing.T) {
	out := inChild(t, "KUBE_CACHE_MUTATION_DETECTOR=true", func() {
		informer := localInformer(t, namedPod("a", "web", "1", "u1"))
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
			obj.(*corev1.Pod).Labels = map[string]string{"changed": "in place"}
		}})
		require.NoError(t, err)
		go informer.RunWithContext(t.Context())
		time.Sleep(10 * time.Second)
	})
	assert.Contains(t, out, "panic: cache *v1.Pod modified")
}

// localInformer is an informer of pods without a server.
func localInformer(t *testing.T, pods ...*corev1.Pod) cache.SharedIndexInformer {
	t.Helper()
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for _, pod := range pods {
		list.Items = append(list.Items, *pod)
	}
	return cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc:  func(context.Context, metav1.ListOptions) (apiruntime.Object, error) { return list, nil },
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil },
	}, plainClient{}), &corev1.Pod{}, 0, nil)
}

// inChild runs work in a process of its own, which has to die, and returns what it printed.
func inChild(t *testing.T, env string, work func()) string {
	t.Helper()
	const child = "WORKSHOP_FACT_CHILD"
	if os.Getenv(child) != "" {
		work()
		t.Fatal("the process lives")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), child+"=1", env)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.NotContains(t, string(out), "the process lives")
	return string(out)
}

func TestFactAPanicInAHandlerEndsTheProgram(t *testing.T) {
	out := inChild(t, "UNUSED=1", func() {
		informer := localInformer(t, namedPod("a", "web", "1", "u1"))
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("out of a handler") }})
		require.NoError(t, err)
		go informer.RunWithContext(t.Context())
		time.Sleep(10 * time.Second)
	})
	assert.Contains(t, out, "panic: out of a handler")
}

func TestFactTheCacheIsAheadOfTheHandlers(t *testing.T) {
	f := newFact(t, 0)
	f.create("a", "b", "c")
	var once sync.Once
	var cached atomic.Int64
	f.start(f.add(coreinformers.PodHandlerFuncs{AddFunc: func(*corev1.Pod) {
		once.Do(func() { cached.Store(int64(len(f.pods().Informer().GetStore().ListKeys()))) })
	}}))
	assert.EqualValues(t, 3, cached.Load(), "at the first of three adds, all three are in the cache")
}

func TestFactARelistSwapsTheCacheAndTellsDeletionsFirst(t *testing.T) {
	f := newFact(t, 0)
	f.create("gone-1", "gone-2", "kept")
	var mu sync.Mutex
	var news []string
	keys := func() string {
		keys := f.pods().Informer().GetStore().ListKeys()
		slices.Sort(keys)
		return strings.ReplaceAll(strings.Join(keys, " "), f.ns+"/", "")
	}
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		news = append(news, text+" with "+keys())
	}
	f.start(f.add(coreinformers.PodDetailedHandlerFuncs{
		AddFunc: func(pod *corev1.Pod, initial bool) {
			if !initial {
				note("add " + pod.Name)
			}
		},
		DeleteFunc: func(pod coreinformers.DeletedPod) { note("delete") },
	}))
	f.outage.Expire(func() error {
		f.create("new")
		return errors.Join(f.remove("gone-1"), f.remove("gone-2"))
	})
	soon(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(news) == 3 }, "three events")
	assert.Equal(t, []string{"delete with kept new", "delete with kept new", "add new with kept new"}, news)
}

func TestFactTheCacheMayLag(t *testing.T) {
	f := newFact(t, 0)
	f.pods().Informer()
	f.start()
	var inGap atomic.Bool
	f.outage.Expire(func() error {
		f.create("web")
		_, err := f.pods().Lister().Pods(f.ns).Get("web")
		inGap.Store(apierrors.IsNotFound(err))
		return nil
	})
	soon(t, func() bool { return f.cached("web") != nil }, "the pod comes in the end")
	assert.True(t, inGap.Load(), "the server had the pod, the cache did not")
}

func TestFactTheListerNeedsNoRequest(t *testing.T) {
	f := newFact(t, 0)
	f.create("a", "b")
	f.pods().Informer()
	f.start()
	before := f.rec.Count(check.Match{})
	for range 100 {
		_, err := f.pods().Lister().Pods(f.ns).List(labels.Everything())
		require.NoError(t, err)
	}
	assert.Equal(t, before, f.rec.Count(check.Match{}))
	_, err := f.pods().Lister().Pods(f.ns).Get("missing")
	assert.True(t, apierrors.IsNotFound(err), "a lister's miss looks like a server's")
}

func TestFactTheListerBelongsToTheFactorysInformer(t *testing.T) {
	for _, name := range []string{"Lister", "Listers"} {
		_, has := reflect.TypeFor[cache.SharedIndexInformer]().MethodByName(name)
		assert.False(t, has, name)
	}
	var _ func(coreinformers.PodInformer) corelisters.PodLister = coreinformers.PodInformer.Lister
}

func TestFactHandlersDoNotWaitForEachOther(t *testing.T) {
	f := newFact(t, 0)
	release := make(chan struct{})
	slow := f.add(coreinformers.PodHandlerFuncs{AddFunc: func(*corev1.Pod) { <-release }})
	quick := &checkHeard{}
	f.start(f.add(quick))
	for i := range 20 {
		f.create(fmt.Sprintf("web-%d", i))
	}
	soon(t, func() bool { return len(quick.all()) == 20 }, "the quick handler has seen them all")
	assert.Len(t, f.pods().Informer().GetStore().ListKeys(), 20, "and so has the cache; the slow handler's events wait in memory")
	close(release)
	soon(t, slow.HasSynced, "none of them is lost")
}

func TestFactOnAddSaysWhatIsInitial(t *testing.T) {
	add, _ := reflect.TypeFor[cache.ResourceEventHandler]().MethodByName("OnAdd")
	assert.Equal(t, 2, add.Type.NumIn(), "the object and isInInitialList")
	f := newFact(t, 0)
	f.create("first")
	next := &checkHeard{}
	f.start(f.add(next))
	f.create("later")
	soon(t, func() bool { return len(next.all()) == 2 }, "two pods")
	assert.Equal(t, []string{"add first (initial)", "add later"}, next.all())
}

func TestFactALateHandlerGetsTheCacheAsAdds(t *testing.T) {
	f := newFact(t, 0)
	f.create("a", "b")
	f.pods().Informer()
	f.start()
	before := f.rec.Count(check.Match{})
	next := &checkHeard{}
	f.start(f.add(next))
	news := next.all()
	slices.Sort(news)
	assert.Equal(t, []string{"add a (initial)", "add b (initial)"}, news)
	assert.Equal(t, before, f.rec.Count(check.Match{}))
}

func TestFactAStoppedInformerTakesNoHandler(t *testing.T) {
	f := newFact(t, 0)
	informer := f.pods().Informer()
	f.start()
	f.stop()
	f.factory.Shutdown()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	assert.ErrorContains(t, err, "stopped already")
}

func TestFactAMissedDeletionIsATombstone(t *testing.T) {
	f := newFact(t, 0)
	f.create("seen", "missed")
	var mu sync.Mutex
	untyped := map[string]string{}
	_, err := f.pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(obj any) {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
		assert.NoError(t, err)
		_, plainErr := cache.MetaNamespaceKeyFunc(obj)
		mu.Lock()
		defer mu.Unlock()
		untyped[key] = fmt.Sprintf("%T, plain key: %v", obj, plainErr == nil)
	}})
	require.NoError(t, err)
	typed := map[string]bool{}
	f.start(f.add(coreinformers.PodHandlerFuncs{DeleteFunc: func(pod coreinformers.DeletedPod) {
		mu.Lock()
		defer mu.Unlock()
		typed[pod.GetKey()] = pod.FinalStateUnknown != nil
	}}))
	require.NoError(t, f.remove("seen"))
	soon(t, func() bool { return f.cached("seen") == nil }, "the deletion is seen")
	f.outage.Expire(func() error { return f.remove("missed") })
	soon(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(typed) == 2 && len(untyped) == 2 }, "two deletions")
	assert.Equal(t, map[string]bool{f.ns + "/seen": false, f.ns + "/missed": true}, typed)
	assert.Equal(t, map[string]string{
		f.ns + "/seen":   "*v1.Pod, plain key: true",
		f.ns + "/missed": "cache.DeletedFinalStateUnknown, plain key: false",
	}, untyped)
}

func TestFactADeletedObjectAlwaysKnowsItsKey(t *testing.T) {
	unknown := checkMissed(nil)
	assert.Nil(t, unknown.OptionalObj)
	assert.Equal(t, "shop/web", unknown.GetKey())
	assert.Equal(t, cache.NewObjectName("shop", "web"), unknown.GetObjectName())
}

func TestFactARecreatedPodMayComeAsAnUpdate(t *testing.T) {
	f := newFact(t, 0)
	f.create("web")
	var mu sync.Mutex
	var news []string
	f.start(f.add(coreinformers.PodHandlerFuncs{
		UpdateFunc: func(before, after *corev1.Pod) {
			mu.Lock()
			defer mu.Unlock()
			news = append(news, fmt.Sprintf("update, same UID: %v", before.UID == after.UID))
		},
		DeleteFunc: func(coreinformers.DeletedPod) { mu.Lock(); defer mu.Unlock(); news = append(news, "delete") },
	}))
	f.outage.Expire(func() error {
		err := f.remove("web")
		f.create("web")
		return err
	})
	soon(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(news) > 0 }, "an event")
	assert.Equal(t, []string{"update, same UID: false"}, news)
}

// --- resync

func TestFactAResyncAsksTheServerNothing(t *testing.T) {
	f := newFact(t, time.Second)
	f.create("web")
	var replays, other atomic.Int64
	f.start(f.add(coreinformers.PodHandlerFuncs{UpdateFunc: func(before, after *corev1.Pod) {
		if before == after {
			replays.Add(1)
		} else {
			other.Add(1)
		}
	}}))
	before := f.rec.Count(check.Match{})
	soon(t, func() bool { return replays.Load() >= 2 }, "two resyncs")
	assert.Zero(t, other.Load(), "old and new are the same pointer")
	assert.Equal(t, before, f.rec.Count(check.Match{}))
}

func TestFactResyncZeroIsNoResyncAndASyncAllTheSame(t *testing.T) {
	f := newFact(t, 0)
	f.create("web")
	next := &checkHeard{}
	f.start(f.add(next))
	f.create("later")
	time.Sleep(1500 * time.Millisecond)
	assert.Equal(t, []string{"add web (initial)", "add later"}, next.all())
}

func TestFactAHandlersResyncNeedsTheInformersOwn(t *testing.T) {
	f := newFact(t, 0)
	f.create("web")
	next := &checkHeard{}
	_, err := f.pods().TypedInformer().AddTypedEventHandler(next, cache.HandlerOptions{ResyncPeriod: new(time.Second)})
	require.NoError(t, err)
	f.start()
	time.Sleep(2500 * time.Millisecond)
	assert.Equal(t, []string{"add web (initial)"}, next.all(), "the factory has no resync, so the handler gets none")
}

// --- the factory

func TestFactTwoCallersShareOneInformer(t *testing.T) {
	f := newFact(t, 0)
	assert.Same(t, f.pods().Informer().GetIndexer(), f.pods().Informer().GetIndexer())
	first, second := &checkHeard{}, &checkHeard{}
	f.add(first)
	f.add(second)
	f.pods().Lister()
	f.start()
	assert.Equal(t, 1, f.count("watch"))
}

func TestFactAFactoryHasFourFieldsMore(t *testing.T) {
	factory := reflect.TypeOf(informers.NewSharedInformerFactory(nil, 0)).Elem()
	var fields []string
	for field := range factory.Fields() {
		fields = append(fields, field.Name)
	}
	assert.ElementsMatch(t, []string{
		"client", "namespace", "tweakListOptions", "lock", "defaultResync", "customResync", "informers", "startedInformers",
		"transform", "informerName", "wg", "shuttingDown",
	}, fields)
}

func TestFactAFailedNewForConfigReturnsNoClientset(t *testing.T) {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "https://example.com", QPS: 1})
	require.Error(t, err)
	require.Nil(t, client)
	out := inChild(t, "UNUSED=1", func() { // as a sample that drops the error
		factory := informers.NewSharedInformerFactory(client, 0)
		factory.Core().V1().Pods().Informer()
		factory.StartWithContext(t.Context())
		time.Sleep(10 * time.Second)
	})
	assert.Contains(t, out, "nil pointer dereference")
}

func TestFactTwoFactoriesAreTwoWatches(t *testing.T) {
	f := newFact(t, 0)
	for range 2 {
		f.factory = f.newFactory(0)
		f.pods().Informer()
		f.start()
	}
	assert.Equal(t, 2, f.count("watch"))
}

func TestFactPodsIsATypedInformer(t *testing.T) {
	factory := informers.NewSharedInformerFactory(nil, 0)
	var typed coreinformers.TypedPodInformer = factory.Core().V1().Pods()
	var untyped coreinformers.PodInformer = typed // what took the old interface takes the new one
	assert.Same(t, typed.Informer().GetIndexer(), untyped.Informer().GetIndexer())
}

func TestFactAnInformerIsSeveralGoroutines(t *testing.T) {
	running := func() map[string]bool {
		ids, buf := map[string]bool{}, make([]byte, 4<<20)
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "client-go/tools/cache.") {
				id, _, _ := strings.Cut(stack, " [")
				ids[id] = true
			}
		}
		return ids
	}
	others := running() // what earlier tests may have left
	f := newFact(t, 0)
	f.add(coreinformers.PodHandlerFuncs{})
	f.add(coreinformers.PodHandlerFuncs{})
	f.start()
	mine := 0
	for id := range running() {
		if !others[id] {
			mine++
		}
	}
	assert.Greater(t, mine, 6, "the reflector, the resync timer, the loop that pops, and two for each handler")
}

func TestFactShutdownWaits(t *testing.T) {
	f := newFact(t, 0)
	f.create("a")
	release := make(chan struct{})
	f.add(coreinformers.PodHandlerFuncs{AddFunc: func(*corev1.Pod) { <-release }})
	f.start()
	done := make(chan struct{})
	go func() {
		f.factory.Shutdown()
		close(done)
	}()
	waits := func() bool {
		select {
		case <-done:
			return false
		case <-time.After(200 * time.Millisecond):
			return true
		}
	}
	assert.True(t, waits(), "Shutdown stops nothing itself")
	f.stop()
	assert.True(t, waits(), "a handler still runs")
	close(release)
	<-done
}

func TestFactRemoveDoesNotWaitAndShutDownDoes(t *testing.T) {
	f := newFact(t, 0)
	f.create("a")
	busy := func() (registration cache.ResourceEventHandlerRegistration, release chan struct{}, ended *atomic.Bool) {
		entered := make(chan struct{})
		release, ended = make(chan struct{}), &atomic.Bool{}
		registration = f.add(coreinformers.PodHandlerFuncs{AddFunc: func(*corev1.Pod) {
			close(entered)
			<-release
			ended.Store(true)
		}})
		f.start()
		<-entered
		return registration, release, ended
	}
	removed, release, ended := busy()
	require.NoError(t, f.pods().Informer().RemoveEventHandler(removed))
	assert.False(t, ended.Load(), "removed, and still running")
	close(release)

	shutDown, release, ended := busy()
	time.AfterFunc(200*time.Millisecond, func() { close(release) })
	require.NoError(t, cache.ShutDownEventHandler(f.pods().Informer(), shutDown))
	assert.True(t, ended.Load())
}

// --- the queue of keys

func TestFactTheWorkqueueKeepsAKeyOnce(t *testing.T) {
	queue := workqueue.NewTyped[cache.ObjectName]()
	defer queue.ShutDown()
	for range 3 {
		queue.Add(webKey(1))
	}
	assert.Equal(t, 1, queue.Len())
}

func TestFactAKeyInWorkIsGivenToNobodyElse(t *testing.T) {
	queue := workqueue.NewTyped[cache.ObjectName]()
	defer queue.ShutDown()
	queue.Add(webKey(1))
	key, _ := queue.Get()
	queue.Add(key)
	assert.Zero(t, queue.Len(), "it is remembered, and not given out")
	queue.Done(key)
	assert.Equal(t, 1, queue.Len(), "until Done")
}

func TestFactGetEndsWithShutDownOnly(t *testing.T) {
	queue := workqueue.NewTyped[cache.ObjectName]()
	queue.Add(webKey(1))
	queue.ShutDown()
	key, shutdown := queue.Get()
	assert.Equal(t, webKey(1), key, "what is in the queue still comes out")
	assert.False(t, shutdown)
	queue.Done(key)
	key, shutdown = queue.Get()
	assert.Equal(t, cache.ObjectName{}, key, "then an empty key")
	assert.True(t, shutdown)
	queue.Add(webKey(2))
	assert.Zero(t, queue.Len(), "nothing is taken any more")
}

func TestFactOnlyForgetEndsTheCount(t *testing.T) {
	queue := newQueue()
	defer queue.ShutDown()
	for range 3 {
		queue.AddRateLimited(webKey(1))
	}
	soon(t, func() bool { return queue.Len() == 1 }, "the key")
	key, _ := queue.Get()
	queue.Done(key)
	assert.Equal(t, 3, queue.NumRequeues(key), "Done is not Forget")
	queue.Forget(key)
	assert.Zero(t, queue.NumRequeues(key))
}
