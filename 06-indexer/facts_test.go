package main

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/check"
)

func factClientset(t *testing.T) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(check.FactConfig(t))
	require.NoError(t, err)
	return client
}

func factPod(name string) *corev1.Pod {
	return checkPod("shop", name, "app=web")
}

func factIndexers() cache.Indexers { return cache.Indexers{AppIndex: checkAppIndexFunc} }

func factKeys(t *testing.T, indexer cache.Indexer, name, value string) []string {
	t.Helper()
	keys, err := indexer.IndexKeys(name, value)
	require.NoError(t, err)
	return keys
}

func TestFactTheCacheIsAMapOfKeys(t *testing.T) {
	indexer := checkIndexer(nil, factPod("web-1"), factPod("web-2"))
	assert.ElementsMatch(t, []string{"shop/web-1", "shop/web-2"}, indexer.ListKeys())

	_, exists, err := indexer.GetByKey("shop/web-1")
	require.NoError(t, err)
	assert.True(t, exists)
}

func TestFactTheKeyIsNamespaceAndName(t *testing.T) {
	for key, obj := range map[string]any{
		"shop/web-1": factPod("web-1"),
		"node-1":     &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}},
	} {
		got, err := cache.MetaNamespaceKeyFunc(obj)
		require.NoError(t, err)
		assert.Equal(t, key, got)
		namespace, name, err := cache.SplitMetaNamespaceKey(key)
		require.NoError(t, err)
		assert.Equal(t, key, cache.NewObjectName(namespace, name).String())
	}
	_, _, err := cache.SplitMetaNamespaceKey("a/b/c")
	assert.ErrorContains(t, err, "unexpected key format")
}

func TestFactAnIndexHasTwoLevels(t *testing.T) {
	indices := reflect.TypeFor[cache.Indices]()
	assert.Equal(t, reflect.String, indices.Key().Kind(), "the name of an index")
	assert.Equal(t, reflect.String, indices.Elem().Key().Kind(), "a value")
	assert.Equal(t, "sets.Set[string]", indices.Elem().Elem().String(), "the keys of the objects")

	indexer := checkIndexer(factIndexers(), factPod("web-1"), factPod("web-2"))
	assert.Contains(t, indexer.GetIndexers(), AppIndex)
	assert.Equal(t, []string{"web"}, indexer.ListIndexFuncValues(AppIndex))
	assert.Equal(t, []string{"shop/web-1", "shop/web-2"}, factKeys(t, indexer, AppIndex, "web"))
}

func TestFactThreadSafeStoreIsAnInterface(t *testing.T) {
	assert.Equal(t, reflect.Interface, reflect.TypeFor[cache.ThreadSafeStore]().Kind())

	store := reflect.TypeOf(cache.NewThreadSafeStore(cache.Indexers{}, cache.Indices{})).Elem()
	var fields []string
	for i := range store.NumField() {
		fields = append(fields, store.Field(i).Name)
	}
	assert.Equal(t, []string{"lock", "items", "index", "rv", "metrics"}, fields)
}

func TestFactAnIndexerIsAStoreWithSixMethodsMore(t *testing.T) {
	methods := func(of reflect.Type) []string {
		var names []string
		for i := range of.NumMethod() {
			names = append(names, of.Method(i).Name)
		}
		return names
	}
	store, indexer := methods(reflect.TypeFor[cache.Store]()), methods(reflect.TypeFor[cache.Indexer]())
	assert.Equal(t, []string{"AddIndexers", "ByIndex", "GetIndexers", "Index", "IndexKeys", "ListIndexFuncValues"},
		slices.DeleteFunc(indexer, func(name string) bool { return slices.Contains(store, name) }))
	assert.Contains(t, store, "Bookmark")
	assert.Contains(t, store, "LastStoreSyncResourceVersion")
}

func TestFactOnlyAFactoryAddsTheNamespaceIndex(t *testing.T) {
	client, err := kubernetes.NewForConfig(check.FactConfig(t))
	require.NoError(t, err)
	ofFactory := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	assert.Len(t, ofFactory.GetIndexer().GetIndexers(), 1)
	assert.Contains(t, ofFactory.GetIndexer().GetIndexers(), cache.NamespaceIndex)

	byHand := cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.Pod{}, 0, cache.Indexers{})
	assert.Empty(t, byHand.GetIndexer().GetIndexers())
}

func TestFactAnIndexOfASharedInformerIsSeenByAll(t *testing.T) {
	factory := informers.NewSharedInformerFactory(factClientset(t), 0)
	require.NoError(t, factory.Core().V1().Pods().Informer().AddIndexers(factIndexers()))
	assert.Contains(t, factory.Core().V1().Pods().TypedInformer().GetTypedIndexer().GetIndexers(), AppIndex)
}

func TestFactAnErrorOfAnIndexFuncPanics(t *testing.T) {
	indexer := checkIndexer(cache.Indexers{AppIndex: func(any) ([]string, error) { return nil, assert.AnError }})
	assert.PanicsWithError(t, fmt.Sprintf("unable to calculate an index entry for key %q on index %q: %v", "shop/web-1", AppIndex,
		assert.AnError),
		func() { _ = indexer.Add(factPod("web-1")) })
}

func TestFactATypedIndexFuncPanicsOnAnotherType(t *testing.T) {
	typed := cache.TypedIndexerFuncToIndexerFunc(func(pod *corev1.Pod) ([]string, error) { return []string{pod.Name}, nil })
	values, err := typed(factPod("web-1"))
	require.NoError(t, err)
	assert.Equal(t, []string{"web-1"}, values)
	assert.Panics(t, func() { _, _ = typed(cache.DeletedFinalStateUnknown{Key: "shop/web-1", Obj: factPod("web-1")}) })
}

func TestFactATombstoneDoesNotReachTheIndexFunc(t *testing.T) {
	var seen []string
	indexer := checkIndexer(cache.Indexers{AppIndex: func(obj any) ([]string, error) {
		seen = append(seen, fmt.Sprintf("%T", obj))
		return checkAppIndexFunc(obj)
	}}, factPod("web-1"))
	require.NoError(t, indexer.Delete(cache.DeletedFinalStateUnknown{Key: "shop/web-1", Obj: factPod("web-1")}))
	assert.Equal(t, []string{"*v1.Pod", "*v1.Pod"}, seen, "once when it came, once when it went: the pod that the cache held")
	assert.Empty(t, factKeys(t, indexer, AppIndex, "web"))

	// Whoever asks with a tombstone does reach it.
	_, err := indexer.Index(AppIndex, cache.DeletedFinalStateUnknown{Key: "shop/web-1"})
	require.NoError(t, err)
	assert.Equal(t, "cache.DeletedFinalStateUnknown", seen[2])
}

func TestFactTheNamespaceIndexIsAskedWithObjectMeta(t *testing.T) {
	var seen any
	indexer := checkIndexer(cache.Indexers{cache.NamespaceIndex: func(obj any) ([]string, error) {
		seen = obj
		return cache.MetaNamespaceIndexFunc(obj)
	}})
	_, err := corelisters.NewPodLister(indexer).Pods("shop").List(labels.Everything())
	require.NoError(t, err)
	assert.IsType(t, &metav1.ObjectMeta{}, seen, "so its function must not be a typed one")
}

func TestFactAnIndexFuncIsAskedAboutTheOldAndTheNewPod(t *testing.T) {
	asked := 0
	indexer := checkIndexer(cache.Indexers{AppIndex: func(obj any) ([]string, error) {
		asked++
		return checkAppIndexFunc(obj)
	}}, factPod("web-1"))
	asked = 0
	require.NoError(t, indexer.Update(factPod("web-1")))
	assert.Equal(t, 2, asked)
}

func TestFactAnIndexMustBeAddedBeforeItIsAsked(t *testing.T) {
	indexer := checkIndexer(nil, factPod("web-1"))
	_, err := indexer.ByIndex("my-index", "web")
	assert.EqualError(t, err, "Index with name my-index does not exist")

	require.NoError(t, indexer.AddIndexers(cache.Indexers{"my-index": checkAppIndexFunc}))
	pods, err := indexer.ByIndex("my-index", "web")
	require.NoError(t, err)
	assert.Len(t, pods, 1)
}

func TestFactListIndexFuncValuesHasNoError(t *testing.T) {
	indexer := checkIndexer(nil, factPod("web-1"))
	assert.Empty(t, indexer.ListIndexFuncValues("my-index"), "of an index that does not exist")
	_, err := indexer.IndexKeys("my-index", "web")
	assert.Error(t, err)
}

func TestFactTwoIndexesOfOneNameConflict(t *testing.T) {
	indexer := checkIndexer(factIndexers())
	assert.ErrorContains(t, indexer.AddIndexers(factIndexers()), "indexer conflict")
}

func TestFactAnInformerKeepsTheMapOfIndexers(t *testing.T) {
	mine := cache.Indexers{}
	one := cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.Pod{}, 0, mine)
	other := cache.NewSharedIndexInformer(&cache.ListWatch{}, &corev1.Pod{}, 0, mine)
	require.NoError(t, one.AddIndexers(factIndexers()))
	assert.Contains(t, mine, AppIndex)
	assert.ErrorContains(t, other.AddIndexers(factIndexers()), "indexer conflict",
		"the other informer has the index as well, and has not filled it")
}

func TestFactTheListWatchDeclaresWhetherTheClientStreams(t *testing.T) {
	first := func(declare bool) string {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var once sync.Once
		asked := make(chan string, 1)
		note := func(what string) error {
			once.Do(func() { asked <- what })
			cancel()
			return assert.AnError
		}
		lw := &cache.ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (apiruntime.Object, error) {
				return nil, note("list")
			},
			WatchFuncWithContext: func(_ context.Context, opts metav1.ListOptions) (watch.Interface, error) {
				return nil, note(fmt.Sprintf("watch with sendInitialEvents=%t", opts.SendInitialEvents != nil && *opts.SendInitialEvents))
			},
		}
		var declared cache.ListerWatcher = lw
		if declare {
			declared = cache.ToListWatcherWithWatchListSemantics(lw, notStreaming{})
		}
		cache.NewSharedIndexInformer(declared, &corev1.Pod{}, 0, cache.Indexers{}).RunWithContext(ctx)
		return <-asked
	}
	assert.Equal(t, "watch with sendInitialEvents=true", first(false), "a ListWatch that says nothing is taken to stream")
	assert.Equal(t, "list", first(true))
}

func TestFactByIndexHasNoOrder(t *testing.T) {
	indexer := checkIndexer(factIndexers())
	for i := range 20 {
		require.NoError(t, indexer.Add(factPod(fmt.Sprintf("web-%d", i))))
	}
	orders := map[string]bool{}
	for range 50 {
		pods, err := indexer.ByTypedIndex(AppIndex, "web")
		require.NoError(t, err)
		orders[fmt.Sprint(checkKeysOf(pods))] = true
		assert.IsIncreasing(t, factKeys(t, indexer, AppIndex, "web"), "IndexKeys is sorted")
	}
	assert.Greater(t, len(orders), 1)
}

func TestFactByIndexHandsOutTheCachesOwnPods(t *testing.T) {
	pod := factPod("web-1")
	indexer := checkIndexer(factIndexers(), pod)
	untyped, err := indexer.ByIndex(AppIndex, "web")
	require.NoError(t, err)
	typed, err := indexer.ByTypedIndex(AppIndex, "web")
	require.NoError(t, err)
	assert.Same(t, pod, untyped[0])
	assert.Same(t, pod, typed[0])
}

func TestFactAnIndexFuncMayReturnManyValues(t *testing.T) {
	indexer := checkIndexer(cache.Indexers{"byLabel": func(obj any) ([]string, error) {
		var values []string
		for key, value := range obj.(*corev1.Pod).Labels {
			values = append(values, key+"="+value)
		}
		return values, nil
	}}, checkPod("shop", "web-1", "app=web,tier=front"), checkPod("shop", "plain", ""))
	assert.Equal(t, []string{"shop/web-1"}, factKeys(t, indexer, "byLabel", "app=web"))
	assert.Equal(t, []string{"shop/web-1"}, factKeys(t, indexer, "byLabel", "tier=front"))
	assert.Len(t, indexer.ListIndexFuncValues("byLabel"), 2)
}

func TestFactTheEmptyStringIsAValue(t *testing.T) {
	indexer := checkIndexer(cache.Indexers{AppIndex: func(obj any) ([]string, error) {
		return []string{obj.(*corev1.Pod).Labels["app"]}, nil
	}}, checkPod("shop", "plain", ""))
	assert.Equal(t, []string{"shop/plain"}, factKeys(t, indexer, AppIndex, ""))
}

func TestFactAnIndexFollowsItsPods(t *testing.T) {
	indexer := checkIndexer(factIndexers(), factPod("web-1"), factPod("web-2"))
	require.NoError(t, indexer.Update(checkPod("shop", "web-1", "app=db")))
	assert.Equal(t, []string{"shop/web-2"}, factKeys(t, indexer, AppIndex, "web"))
	assert.Equal(t, []string{"shop/web-1"}, factKeys(t, indexer, AppIndex, "db"))

	require.NoError(t, indexer.Delete(factPod("web-2")))
	assert.Equal(t, []string{"db"}, indexer.ListIndexFuncValues(AppIndex), "a value that no pod has is no value any more")
}

func TestFactAPodChangedInPlaceStaysUnderItsOldValue(t *testing.T) {
	pod := factPod("web-1")
	indexer := checkIndexer(factIndexers(), pod)
	pod.Labels["app"] = "db"
	assert.Equal(t, []string{"shop/web-1"}, factKeys(t, indexer, AppIndex, "web"))
	assert.Empty(t, factKeys(t, indexer, AppIndex, "db"))

	// Even the informer's next update cannot mend it: the old value is asked of
	// the pod that was changed.
	require.NoError(t, indexer.Update(checkPod("shop", "web-1", "app=db")))
	assert.Equal(t, []string{"shop/web-1"}, factKeys(t, indexer, AppIndex, "web"))
}

func TestFactIndexersMayBeAddedToARunningInformer(t *testing.T) {
	ns := check.FactNamespace(t)
	client := factClientset(t)
	_, err := client.CoreV1().Pods(ns).Create(t.Context(), check.PendingPod("web-1", map[string]string{"app": "web"}), metav1.CreateOptions{})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(ns))
	informer := factory.Core().V1().Pods().TypedInformer()
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	defer stop()
	require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())

	require.NoError(t, informer.AddIndexers(factIndexers()))
	assert.Equal(t, []string{ns + "/web-1"}, factKeys(t, informer.GetIndexer(), AppIndex, "web"), "what was there before is indexed")

	stop()
	factory.Shutdown()
	assert.ErrorContains(t, informer.AddIndexers(cache.Indexers{"late": checkAppIndexFunc}), "stopped already")
}

func TestFactAWriteIsNotYetInTheCache(t *testing.T) {
	ns := check.FactNamespace(t)
	client := factClientset(t)
	_, err := client.CoreV1().Pods(ns).Create(t.Context(), check.PendingPod("web-1", map[string]string{"app": "web"}), metav1.CreateOptions{})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(ns))
	informer := factory.Core().V1().Pods().TypedInformer()
	require.NoError(t, informer.AddIndexers(factIndexers()))
	// The network between server and cache, as slow as the test wants it.
	var slow atomic.Bool
	release := make(chan struct{})
	require.NoError(t, informer.SetTransform(func(obj any) (any, error) {
		if slow.Load() {
			<-release
		}
		return obj, nil
	}))
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	defer stop()
	require.NoError(t, factory.WaitForCacheSyncWithContext(ctx).AsError())

	slow.Store(true)
	pod, err := client.CoreV1().Pods(ns).Patch(ctx, "web-1", types.MergePatchType, []byte(`{"metadata":{"labels":{"app":"db"}}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
	assert.Equal(t, "db", pod.Labels["app"], "the server's answer")
	assert.Equal(t, []string{ns + "/web-1"}, factKeys(t, informer.GetIndexer(), AppIndex, "web"), "the cache")
	close(release)
	assert.Eventually(t, func() bool {
		keys, err := informer.GetIndexer().IndexKeys(AppIndex, "db")
		return err == nil && len(keys) == 1
	}, 20*time.Second, 10*time.Millisecond)
}

func TestFactANamespaceListerUsesTheNamespaceIndex(t *testing.T) {
	pods := []*corev1.Pod{checkPod("bank", "web-1", "")}
	for i := range 100 {
		pods = append(pods, factPod(fmt.Sprintf("web-%d", i)))
	}
	for _, tc := range []struct {
		indexers cache.Indexers
		read     int64
	}{
		{checkIndexers(), 1},
		{nil, 101}, // it warns in the log and looks at every object
	} {
		m := &checkMeter{TypedIndexer: checkIndexer(tc.indexers, pods...)}
		found, err := corelisters.NewPodLister(m).Pods("bank").List(labels.Everything())
		require.NoError(t, err)
		assert.Equal(t, []string{"bank/web-1"}, checkKeysOf(found))
		assert.Equal(t, tc.read, m.read.Load())
	}
}

func TestFactASelectorOverAListerReadsEveryPod(t *testing.T) {
	m := &checkMeter{TypedIndexer: checkIndexer(checkIndexers(), checkManyPods(1000)...)}
	isApp7 := labels.SelectorFromSet(labels.Set{"app": "app-7"})
	found, err := corelisters.NewPodLister(m).List(isApp7)
	require.NoError(t, err)
	assert.Len(t, found, 10)
	assert.EqualValues(t, 1000, m.read.Load())
}

func TestFactASelectorThatMatchesNothingIsEmptyAsText(t *testing.T) {
	assert.Empty(t, labels.Nothing().String())
	all, err := labels.Parse(labels.Nothing().String())
	require.NoError(t, err)
	assert.True(t, all.Matches(labels.Set{"app": "web"}), "which the server takes for everything")
}

func TestFactTheCostOfALookupDoesNotGrowWithTheCache(t *testing.T) {
	cost := func(size int) (index, selector float64) {
		indexer := checkIndexer(checkIndexers(), checkManyPods(size)...)
		lister := corelisters.NewPodLister(indexer)
		isApp7 := labels.SelectorFromSet(labels.Set{"app": "app-7"})
		index = factBytesOf(func() { _, _ = indexer.ByIndex(AppIndex, "app-7") })
		selector = factBytesOf(func() { _, _ = lister.List(isApp7) })
		return index, selector
	}
	smallIndex, smallSelector := cost(1_000)
	largeIndex, largeSelector := cost(20_000)
	assert.InDelta(t, smallIndex, largeIndex, 64, "bytes allocated by ByIndex")
	assert.Greater(t, largeSelector, 10*smallSelector, "bytes allocated by a selector over the lister")
}

// factBytesOf is the memory that one call of f allocates.
func factBytesOf(f func()) float64 {
	const calls = 100
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		f()
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / calls
}

// Both are timed in the same run, so that a slow machine is slow for both; the
// figures in the guide come from the benchmark.
func TestFactAnIndexIsAThousandTimesFaster(t *testing.T) {
	indexer := checkIndexer(checkIndexers(), checkManyPods(100_000)...)
	lister := corelisters.NewPodLister(indexer)
	isApp7 := labels.SelectorFromSet(labels.Set{"app": "app-7"})

	selector := factFastest(7, func() {
		pods, err := lister.List(isApp7)
		require.NoError(t, err)
		require.Len(t, pods, 10)
	})
	const calls = 1000
	index := factFastest(7, func() {
		for range calls {
			pods, err := indexer.ByIndex(AppIndex, "app-7")
			if err != nil || len(pods) != 10 {
				t.Fatalf("ByIndex gave %d pods and the error %v", len(pods), err)
			}
		}
	}) / calls
	t.Logf("ten pods among 100,000: selector over the lister %v, ByIndex %v, %.0f times", selector, index, float64(selector)/float64(index))
	assert.Greater(t, selector, 1000*index)
}

// factFastest is the time of the run that was disturbed the least.
func factFastest(runs int, f func()) time.Duration {
	least := time.Duration(0)
	for range runs {
		start := time.Now()
		f()
		if took := time.Since(start); least == 0 || took < least {
			least = took
		}
	}
	return least
}
