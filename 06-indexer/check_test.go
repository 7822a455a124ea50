package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/check"
)

// checkPatch changes a pod on the server, as somebody else would.
func checkPatch(s *check.S, namespace, name, patch string) (*corev1.Pod, error) {
	pods := s.Clientset().CoreV1().Pods(namespace)
	return pods.Patch(s.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
}

// checkRelabel sets a pod's label app on the server, as somebody else would.
func checkRelabel(s *check.S, namespace, name, app string) {
	_, err := checkPatch(s, namespace, name, `{"metadata":{"labels":{"app":"`+app+`"}}}`)
	s.Setup(err, "relabel pod "+name)
}

// checkStart runs the informers of a factory until the step is judged.
func checkStart(s *check.S, factory informers.SharedInformerFactory) {
	ctx, stop := context.WithCancel(s.Context())
	s.T().Cleanup(factory.Shutdown)
	s.T().Cleanup(stop)
	factory.StartWithContext(ctx)
}

// checkNotStarted waits as long as an informer that was started takes to be at work.
func checkNotStarted(s *check.S, rec *check.Recorder, cause string) {
	time.Sleep(100 * time.Millisecond)
	s.RequireNoRequest(rec, cause)
}

// checkNoIndexes are the indexes of an informer to which the chapter added none.
var checkNoIndexes = cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}

const (
	checkNoLabelCause = "a pod without the label app belongs to no value: return no values and no error"
	checkEmptyCause   = "an empty label is there all the same, and a selector finds it: ask the map with comma-ok"
	checkEndingCause  = "the label alone counts, although its deletion has begun: the pod is in the cache until it is gone"
	checkPanicsCause  = "the cache panics on an error of an index function, which ends the program: an object that has no value is no error"
	checkTypeCause    = "index pods only: assert the type with comma-ok, and return no values and no error for everything else"
	checkStaleCause   = "the answer was kept from an earlier call: ask the index each time"
	checkSharedCause  = "the cache belongs to the informer"
)

func TestStep1_AppIndexFunc(t *testing.T) {
	check.Step(t, 1, "AppIndexFunc", func(s *check.S) {
		web := checkPod("shop", "web-1", "app=web,tier=front,k8s-app=kube-dns")
		deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: web.Labels}}
		for _, tc := range []struct {
			what  string
			obj   any
			want  []string
			cause string
		}{
			{"a pod with app=web among other labels", web, []string{"web"}, "the value is the value of the label app alone"},
			{"a pod of another app, app=db", checkPod("shop", "db-1", "app=db"), []string{"db"},
				"the value is the value of the label app, whatever it is"},
			{"a pod whose label app is empty", checkPod("shop", "empty", "app="), []string{""}, checkEmptyCause},
			{"a pod of app=web whose deletion has begun", checkEnding("shop", "ending", "app=web"), []string{"web"}, checkEndingCause},
			{"a pod with labels but without app", checkPod("shop", "other", "tier=front"), nil, checkNoLabelCause},
			{"a pod whose labels are nil", checkPod("shop", "plain", ""), nil, checkNoLabelCause},
			{"a Deployment with app=web", deployment, nil, checkTypeCause},
			{"a string", "web", nil, checkTypeCause},
			{"nil", nil, nil, checkTypeCause},
			{"a nil *corev1.Pod", (*corev1.Pod)(nil), nil, checkTypeCause},
			{"a tombstone of a pod with app=web", cache.DeletedFinalStateUnknown{Key: "shop/web-1", Obj: web}, nil,
				"a tombstone is not the pod: when a pod leaves the cache, the cache itself asks for the values of the pod that it held"},
		} {
			judgeValues(s, tc.what, tc.obj, tc.want, tc.cause, AppIndexFunc)
		}
	})
}

// judgeValues asks an index function for the values of one object.
func judgeValues[T any](s *check.S, what string, obj T, want []string, cause string, indexFunc func(T) ([]string, error)) {
	pod, isPod := any(obj).(*corev1.Pod)
	before := pod.DeepCopy()
	got, err := check.Call(s, func(context.Context) ([]string, error) { return indexFunc(obj) })
	s.Requiref(err == nil, checkPanicsCause, "for %s, %s returned an error: %v", what, s.Name(), err)
	s.Requiref(slices.Equal(got, want), valuesCause(got, want, cause), "for %s, the values are %q, want %q", what, got, want)
	if isPod {
		requireSamePod(s, "for "+what+", "+s.Name(), before, pod)
	}
}

// valuesCause knows the mistakes that every index function invites.
func valuesCause(got, want []string, cause string) string {
	switch {
	case len(want) == 0 && len(got) == 1 && got[0] == "":
		return `[""] is not "no values": it is one value, the empty string, and every object without a label would be found under it`
	case len(want) == 0 && len(got) == 1:
		return cause + ". Every pod without the label would be found under this value: return no values at all"
	case len(want) == 1 && len(got) == 1 && strings.HasSuffix(want[0], "/"+got[0]):
		return "an index spans all namespaces: the namespace is part of the value, or pods of another namespace are found"
	case len(want) == 1 && len(got) > 1 && strings.Contains(want[0], "/"):
		return "two values mean \"found under either\": a pod that must match both is found under one value that holds both"
	}
	return cause
}

func TestStep2_NewIndexedInformer(t *testing.T) {
	check.Step(t, 2, "NewIndexedInformer", func(s *check.S) {
		ns := s.Namespace()
		for name, app := range map[string]string{"web-1": "app=web", "web-2": "app=web", "db-1": "app=db", "plain": ""} {
			s.CreatePod(ns, check.PendingPod(name, checkLabels(app)))
		}
		rec, cfg := s.Recorder()
		factory := informers.NewSharedInformerFactoryWithOptions(s.ClientsetFor(cfg), 0, informers.WithNamespace(ns))
		// Another function than step 1's, so that it shows which one is used.
		indexFunc := func(obj any) ([]string, error) {
			values, err := checkAppIndexFunc(obj)
			for i := range values {
				values[i] = "the-check's-" + values[i]
			}
			return values, err
		}
		build := func(context.Context) (coreinformers.PodIndexInformer, error) {
			return NewIndexedInformer(factory, indexFunc)
		}
		informer := check.Must(s, "informer", build)
		checkNotStarted(s, rec, "the informer was started: that is for the caller, once all informers and indexes are there")
		judgeIndexes(s, factory, informer)

		checkStart(s, factory)
		rec.Requiref(s.Eventually(informer.HasSynced), "the informer is not the factory's", "after factory.Start, the informer has not synced")
		keys, err := informer.GetIndexer().IndexKeys(AppIndex, "the-check's-web")
		s.Requiref(err == nil && check.SameElements(keys, []string{ns + "/web-1", ns + "/web-2"}),
			"the function that the caller gave is not the one that is used",
			"with an index function that gives \"the-check's-web\", the index has %v under that value (values: %v)", keys,
			informer.GetIndexer().ListIndexFuncValues(AppIndex))

		_, err = check.Call(s, build)
		s.Requiref(err != nil, "the error of AddIndexers is dropped: the second caller's function would never be used, and nobody would know",
			"the factory's informer has the index %s already, and a second call returned no error", AppIndex)
	})
}

// judgeIndexes wants the factory's own informer, with its own index and the new one.
func judgeIndexes(s *check.S, factory informers.SharedInformerFactory, informer cache.SharedIndexInformer) {
	indexers := informer.GetIndexer().GetIndexers()
	names := slices.Sorted(maps.Keys(indexers))
	s.Requiref(indexers[AppIndex] != nil, "AddIndexers is not called, or with another name: the name of an index is compared letter by letter",
		"the informer has the indexes %v, want %s among them", names, AppIndex)
	s.Require(informer.GetIndexer() == factory.Core().V1().Pods().Informer().GetIndexer(),
		"the returned informer has another cache than the factory's pod informer",
		"an informer of its own makes a second watch and a second cache, and the factory does not start it: take factory.Core().V1().Pods()")
	s.Requiref(indexers[cache.NamespaceIndex] != nil, "add an index to those that are there",
		"the informer has the indexes %v, and has lost %s", names, cache.NamespaceIndex)
	s.Requiref(len(indexers) == 2,
		"one more index is asked for; each costs time at every change, and a later caller of its name gets an error",
		"the informer has the indexes %v, want %s and %s alone", names, AppIndex, cache.NamespaceIndex)
}

// notStreaming is a client that says of itself that it cannot stream a list.
type notStreaming struct{ kubernetes.Interface }

func (notStreaming) IsWatchListSemanticsUnSupported() bool { return true }

func TestStep3_NewHandMadeInformer(t *testing.T) {
	check.Step(t, 3, "NewHandMadeInformer", func(s *check.S) {
		ns, other := s.Namespace(), s.Namespace()
		s.CreatePod(ns, check.PendingPod("web-1", checkLabels("app=web")))
		s.CreatePod(ns, check.PendingPod("db-1", checkLabels("app=db")))
		s.CreatePod(other, check.PendingPod("decoy", checkLabels("app=web")))

		rec, cfg := s.Recorder()
		callers := cache.Indexers{"check": checkAppIndexFunc}
		informer, err := handMadeInformer(s, s.ClientsetFor(cfg), ns, callers)
		s.RequireNoError(err, nil, "")
		s.Require(informer != nil, "NewHandMadeInformer returned no informer and no error", "the informer is not returned")
		checkNotStarted(s, rec, "the informer was started, or the list was read: running it is for the caller")
		judgeCallersIndexers(s, informer, callers)
		checkRun(s, rec, informer)
		judgeOnePlace(s, rec, informer, ns, other)
		judgeFollows(s, rec, informer, ns)
		judgeNoStream(s, ns, callers)

		_, err = handMadeInformer(s, s.Clientset(), ns, cache.Indexers{cache.NamespaceIndex: checkAppIndexFunc})
		s.Requiref(err != nil, "one of the two indexes is lost: AddIndexers tells a conflict, a plain map does not",
			"the caller brought an index called %s, and NewHandMadeInformer returned no error", cache.NamespaceIndex)
		informer, err = handMadeInformer(s, s.Clientset(), ns, nil)
		s.Requiref(err == nil && informer != nil && informer.GetIndexer().GetIndexers()[cache.NamespaceIndex] != nil,
			"a nil map can be read and not be written to, and maps.Clone of it is nil: begin with a map of your own",
			"a caller without indexes, whose map is nil, gets %s, or an informer without the index %s", check.ErrorText(err), cache.NamespaceIndex)
	})
}

func handMadeInformer(s *check.S, client kubernetes.Interface, ns string, indexers cache.Indexers) (cache.SharedIndexInformer, error) {
	return check.Call(s, func(context.Context) (cache.SharedIndexInformer, error) {
		return NewHandMadeInformer(client, ns, indexers)
	})
}

// judgeCallersIndexers wants the caller's indexes in the informer, and the caller's map as it was.
func judgeCallersIndexers(s *check.S, informer cache.SharedIndexInformer, callers cache.Indexers) {
	names := func() []string { return slices.Sorted(maps.Keys(callers)) }
	s.Requiref(slices.Equal(names(), []string{"check"}),
		"the map is the caller's, who may give it to another informer too: put its entries into a map of your own, or use AddIndexers",
		"the caller's map of indexers had the name check and has %v", names())
	indexers := informer.GetIndexer().GetIndexers()
	has := slices.Sorted(maps.Keys(indexers))
	s.Requiref(indexers["check"] != nil, "the caller's indexes are not handed on",
		"the caller's index is called check; the informer has %v", has)
	s.Requiref(indexers[cache.NamespaceIndex] != nil,
		"only a factory adds the namespace index by itself; without it a namespace lister looks at every object",
		"the informer has the indexes %v, want %s among them", has, cache.NamespaceIndex)
	err := informer.AddIndexers(cache.Indexers{"late": checkAppIndexFunc})
	s.Requiref(err == nil && len(callers) == 1, "an informer keeps the map that it is given and adds to it: give it a map of its own",
		"an index that was added to the informer turned up in the caller's map: %v", names())
}

// checkRun runs an informer until the step is judged, and wants it to sync.
func checkRun(s *check.S, rec *check.Recorder, informer cache.SharedIndexInformer) {
	ctx, stop := context.WithCancel(s.Context())
	s.T().Cleanup(stop)
	go informer.RunWithContext(ctx)
	rec.Requiref(s.Eventually(informer.HasSynced), notSyncedCause(rec), "after its start, the informer has not synced")
}

// judgeOnePlace wants the pods of the one namespace in the cache.
func judgeOnePlace(s *check.S, rec *check.Recorder, informer cache.SharedIndexInformer, ns, other string) {
	store := informer.GetStore()
	rec.Requiref(s.Eventually(func() bool { return len(store.ListKeys()) >= 2 }),
		"objects of another type than the example object's are dropped: the example is &corev1.Pod{}, neither a list nor another kind",
		"the informer has synced and holds %v, want the pods db-1 and web-1 of %s", store.ListKeys(), ns)
	keys := store.ListKeys()
	rec.Requiref(!slices.Contains(keys, other+"/decoy"), "the list and the watch are for one namespace: Pods(namespace)",
		"the informer on %s holds pod decoy of %s", ns, other)
	rec.Requiref(check.SameElements(keys, []string{ns + "/web-1", ns + "/db-1"}),
		"hand the options of the informer on to both requests, unchanged", "the informer holds %v, want the pods db-1 and web-1 of %s", keys, ns)
}

// judgeFollows has the cluster move on.
func judgeFollows(s *check.S, rec *check.Recorder, informer cache.SharedIndexInformer, ns string) {
	ofApp := func(app string) []string {
		keys, err := informer.GetIndexer().IndexKeys("check", app)
		s.Setup(err, "ask the index")
		return keys
	}
	s.CreatePod(ns, check.PendingPod("web-2", checkLabels("app=web")))
	checkRelabel(s, ns, "db-1", "web")
	options := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}
	s.Setup(s.Clientset().CoreV1().Pods(ns).Delete(s.Context(), "web-1", options), "delete pod web-1")
	moved := s.Eventually(func() bool {
		return check.SameElements(ofApp("web"), []string{ns + "/web-2", ns + "/db-1"}) && len(ofApp("db")) == 0
	})
	rec.Requiref(moved,
		"the watch does not bring the changes: hand the options that the watch function gets on to Watch, unchanged; the resource version is "+
			"in them", "web-2 was created, db-1 relabelled to web, web-1 deleted; the index has web %v and db %v", ofApp("web"), ofApp("db"))
	requests := rec.Count(check.Match{Verb: "list"}) + rec.Count(check.Match{Verb: "watch"})
	rec.Requiref(requests <= 3, "the watch begins anew again and again: hand its options on unchanged",
		"an informer on a quiet cluster needs a watch, and a list at most")
}

// judgeNoStream has a client that cannot stream the first list.
func judgeNoStream(s *check.S, ns string, callers cache.Indexers) {
	rec, cfg := s.Recorder()
	informer, err := handMadeInformer(s, notStreaming{s.ClientsetFor(cfg)}, ns, callers)
	s.Requiref(err == nil && informer != nil, "the caller's map was changed by the first call",
		"for the same indexers a second time, NewHandMadeInformer returned %s", check.ErrorText(err))
	checkRun(s, rec, informer)
	for _, req := range rec.Requests(check.Match{Verb: "watch"}) {
		rec.Requiref(req.Query.Get("sendInitialEvents") == "",
			"the ListWatch does not declare what the client can do: cache.ToListWatcherWithWatchListSemantics(lw, client). With a fake client, "+
				"such an informer never syncs", "the client says that it cannot stream a list, and the informer asked it for a stream")
	}
	lists := rec.Requests(check.Match{Verb: "list"})
	rec.Requiref(len(lists) > 0, "the list function belongs to the ListWatch too",
		"the client cannot stream a list, and the informer did not list")
	rec.Requiref(lists[0].Namespace == ns, "list and watch are for the same namespace", "the list went to another place than namespace %s", ns)
	rec.Requiref(lists[0].Query.Get("resourceVersion") == "0", "the list function drops the options that it gets: hand them on unchanged",
		"the first list has no resourceVersion=0, which the informer asks for")
}

func notSyncedCause(rec *check.Recorder) string {
	watches := rec.Requests(check.Match{Verb: "watch"})
	switch {
	case rec.Count(check.Match{}) == 0:
		return "no request was sent: the list and the watch function do not reach the client"
	case len(watches) > 0 && watches[0].Query.Get("sendInitialEvents") == "" && rec.Count(check.Match{Verb: "list"}) == 0:
		return "the watch function drops the options that it gets: they ask for the initial objects (sendInitialEvents), " +
			"and the informer waits for the end of those"
	case len(watches) > 0 && watches[0].Status == http.StatusOK && watches[0].Query.Get("sendInitialEvents") != "":
		return "the pods arrive and the informer drops them, and the bookmark that ends them: objects of another type than the example " +
			"object's are dropped. The example is &corev1.Pod{}, neither a list nor another kind"
	default:
		return "hand the context and the options of both functions on to the client, unchanged"
	}
}

func TestStep4_ReportApp(t *testing.T) {
	check.Step(t, 4, "ReportApp", func(s *check.S) {
		indexer := checkIndexer(checkIndexers(), checkPod("shop", "db-1", "app=db"), checkPod("shop", "plain", ""))
		add := func(pod *corev1.Pod) { s.Setup(indexer.Update(pod), "put a pod into the cache") }
		webs := []string{"bank/web-1", "bank/web-10", "bank/web-9", "bank-2/web-1", "shop/web-0", "shop/web-1", "zoo/a"}
		for _, key := range webs {
			namespace, name, _ := strings.Cut(key, "/")
			add(checkPod(namespace, name, "app=web"))
		}
		for i := range 300 {
			add(checkPod("shop", fmt.Sprintf("filler-%d", i), fmt.Sprintf("app=filler-%d", i%7)))
		}
		apps := []string{"db", "filler-0", "filler-1", "filler-2", "filler-3", "filler-4", "filler-5", "filler-6", "web"}
		for range 3 { // an order that is right by chance is not right three times
			judgeReport(s, indexer, "", "web", webs, apps, "ByTypedIndex(AppIndex, app) gives the pods of all namespaces under one value")
		}
		judgeReport(s, indexer, "", "nobody", nil, apps, "no pod has this app")

		add(checkPod("shop", "web-0", "app=db"))
		const relabelled = "after pod shop/web-0 was relabelled from web to db, "
		judgeReport(s, indexer, relabelled, "web", slices.Delete(slices.Clone(webs), 4, 5), apps, checkStaleCause)
		judgeReport(s, indexer, relabelled, "db", []string{"shop/db-1", "shop/web-0"}, apps, checkStaleCause)
		for _, name := range []string{"db-1", "web-0"} {
			s.Setup(indexer.Delete(checkPod("shop", name, "")), "take a pod out of the cache")
		}
		judgeReport(s, indexer, "after the last pods of db were deleted, ", "db", nil, apps[1:], checkStaleCause)

		for _, app := range []string{"web", "nobody"} {
			without := checkIndexer(checkNoIndexes, checkPod("shop", "web-1", "app=web"))
			_, err := check.Call(s, func(context.Context) (*AppReport, error) { return ReportApp(without, app) })
			s.Requiref(err != nil,
				"an unknown index looks like an empty one when the error of ByTypedIndex or IndexKeys is dropped; ListIndexFuncValues has none to give",
				"the indexer has no index %s, and ReportApp(%q) returned no error", AppIndex, app)
		}
	})
}

// judgeReport asks for the report on an app, of which the cache has the pods want.
func judgeReport(s *check.S, indexer cache.TypedIndexer[*corev1.Pod], after, app string, want, apps []string, cause string) {
	m := &checkMeter{TypedIndexer: indexer}
	before := checkSnapshot(indexer)
	got, err := check.Call(s, func(context.Context) (*AppReport, error) { return ReportApp(m, app) })
	s.Requiref(err == nil, "an app without pods is no error, and the index is called "+AppIndex,
		"%sReportApp(%q) returned an error: %v", after, app, err)
	s.Requiref(got != nil, "return the report, also when no pod is in it", "%sReportApp(%q) returned no report and no error", after, app)
	requireUntouched(s, indexer, before)
	s.Require(m.wrote.Load() == 0, "ReportApp wrote to the indexer", checkSharedCause)
	judgeKeys(s, fmt.Sprintf("%sPods of %s", after, app), checkKeysOf(got.Pods), want, cause)
	sorted := slices.Sorted(slices.Values(want))
	s.Requiref(slices.Equal(got.Keys, sorted) || slices.Equal(got.Keys, checkInOrder(want)),
		"IndexKeys gives the keys, namespace/name, of one value; sort them", "%sKeys of %s are %v, want %v", after, app, got.Keys, sorted)
	s.Requiref(check.SameElements(got.Apps, apps), "ListIndexFuncValues gives every value of an index, whichever app was asked for",
		"%sApps are %v, want %v", after, got.Apps, apps)
	s.Requiref(slices.Equal(got.Apps, apps), "ListIndexFuncValues has no order: sort its result",
		"%sApps are in the order %v, want %v", after, got.Apps, apps)
	s.Requiref(m.read.Load() <= int64(4*len(want)+8),
		"the whole cache is read and filtered; the index has the answer: ByTypedIndex, IndexKeys",
		"ReportApp took %d pods and keys from the cache for an app with %d pods", m.read.Load(), len(want))
}

// judgeKeys compares the keys of pods, then their order.
func judgeKeys(s *check.S, what string, keys, want []string, cause string) {
	s.Requiref(check.SameElements(keys, want), cause, "%s are %s, want %s", what, checkSome(keys), checkSome(want))
	s.Requiref(slices.Equal(keys, checkInOrder(want)),
		"an index has no order, and a lister has none: sort by namespace, then by name. The key as one text sorts otherwise, with bank-2/x "+
			"before bank/x", "%s are in the order %s, want %s", what, checkSome(keys), checkSome(checkInOrder(want)))
}

func TestStep5_NamespaceAppIndexFunc(t *testing.T) {
	check.Step(t, 5, "NamespaceAppIndexFunc", func(s *check.S) {
		const together = "one value that holds the namespace, a slash and the app"
		for _, tc := range []struct {
			pod   *corev1.Pod
			want  []string
			cause string
		}{
			{checkPod("shop", "web-1", "app=web,tier=front"), []string{"shop/web"}, together},
			{checkPod("bank", "web-1", "app=web"), []string{"bank/web"}, together},
			{checkPod("shop", "empty", "app="), []string{"shop/"}, checkEmptyCause},
			{checkEnding("shop", "ending", "app=web"), []string{"shop/web"}, checkEndingCause},
			{checkPod("shop", "other", "tier=front"), nil, checkNoLabelCause},
			{checkPod("shop", "plain", ""), nil, checkNoLabelCause},
		} {
			what := fmt.Sprintf("pod %s/%s with the labels %v", tc.pod.Namespace, tc.pod.Name, tc.pod.Labels)
			judgeValues(s, what, tc.pod, tc.want, tc.cause, NamespaceAppIndexFunc)
		}
		// In a cache that sees two namespaces.
		indexer := checkIndexer(cache.Indexers{NamespaceAppIndex: cache.TypedIndexerFuncToIndexerFunc(NamespaceAppIndexFunc)},
			checkPod("shop", "web-1", "app=web"), checkPod("bank", "web-1", "app=web"), checkPod("shop", "plain", ""))
		keys, err := indexer.IndexKeys(NamespaceAppIndex, "shop/web")
		s.Setup(err, "ask the index")
		s.Requiref(slices.Equal(keys, []string{"shop/web-1"}), "the value does not hold the namespace",
			"the index has %v under shop/web, want [shop/web-1]", keys)
	})
}

func TestStep6_AddSecondIndex(t *testing.T) {
	check.Step(t, 6, "AddSecondIndex", func(s *check.S) {
		ns := s.Namespace()
		owners := ownersFor(s, ns)
		create := func(name string, refs ...metav1.OwnerReference) {
			pod := check.PendingPod(name, checkLabels("app=web"))
			pod.OwnerReferences = refs
			s.CreatePod(ns, pod)
		}
		create("no-owner")
		create("one-owner", owners[0])
		create("two-owners", owners...)
		bound := check.PendingPod("bound", nil)
		bound.Spec.SchedulerName = ""
		s.CreatePod(ns, bound)
		informer := runningInformer(s, ns)

		name, err := check.Call(s, func(context.Context) (string, error) { return AddSecondIndex(informer) })
		s.RequireNoError(err, nil, "")
		s.Requiref(name == NodeIndex || name == OwnerIndex, "return the name of the index that was added",
			"AddSecondIndex returned the name %q, want %q or %q", name, NodeIndex, OwnerIndex)
		names := slices.Sorted(maps.Keys(informer.GetIndexer().GetIndexers()))
		s.Requiref(slices.Contains(names, name), "the index was not added to this informer, or under another name than the one returned",
			"the informer has the indexes %v, want %s among them", names, name)
		judgeSecondIndex(s, informer.GetTypedIndexer(), name, "")

		create("late", owners...)
		s.Require(s.Eventually(func() bool { return len(informer.GetStore().ListKeys()) == 5 }),
			"pod late did not come into the cache of a running informer", "the informer was stopped")
		judgeSecondIndex(s, informer.GetTypedIndexer(), name, "after pod late was created, ")
		judgeCacheAsServer(s, informer, ns)

		_, err = check.Call(s, func(context.Context) (string, error) { return AddSecondIndex(informer) })
		s.Requiref(err != nil, "the error of AddTypedIndexers or AddIndexers is dropped",
			"the informer has the index %s already, and a second call returned no error", name)
	})
}

// runningInformer is an informer that holds four pods, pod bound with a node among
// them, and says that it has synced: a step that asks for that must find the same each time.
func runningInformer(s *check.S, ns string) coreinformers.PodIndexInformer {
	factory := informers.NewSharedInformerFactoryWithOptions(s.Clientset(), 0, informers.WithNamespace(ns))
	informer := factory.Core().V1().Pods().TypedInformer()
	checkStart(s, factory)
	s.Await("fill an informer, in which pod bound has a node", func() bool {
		pod, ok, err := informer.GetIndexer().GetByKey(ns + "/bound")
		bound := err == nil && ok && pod.(*corev1.Pod).Spec.NodeName != ""
		return bound && informer.HasSynced() && len(informer.GetStore().ListKeys()) == 4
	})
	return informer
}

// ownersFor makes two objects that may own a pod: the garbage collector deletes
// a pod whose owners do not exist.
func ownersFor(s *check.S, namespace string) []metav1.OwnerReference {
	var refs []metav1.OwnerReference
	for i, name := range []string{"owner-a", "owner-b"} {
		owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
		cm, err := s.Clientset().CoreV1().ConfigMaps(namespace).Create(s.Context(), owner, metav1.CreateOptions{})
		s.Setup(err, "create configmap "+name)
		refs = append(refs, metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: cm.UID, Controller: new(i == 0)})
	}
	return refs
}

// judgeSecondIndex compares what the index says of each pod with what the pod says.
func judgeSecondIndex(s *check.S, indexer cache.Indexer, name, after string) {
	found := map[string][]string{}
	for _, value := range indexer.ListIndexFuncValues(name) {
		keys, err := indexer.IndexKeys(name, value)
		s.Setup(err, "ask the index")
		for _, key := range keys {
			found[key] = append(found[key], value)
		}
	}
	for _, obj := range indexer.List() {
		pod := obj.(*corev1.Pod)
		want, got := secondValues(name, pod), found[pod.Namespace+"/"+pod.Name]
		s.Requiref(check.SameElements(got, want), secondCause(name, got, want),
			"%sthe index %s has pod %s under %q, want %q", after, name, pod.Name, got, want)
	}
}

// judgeCacheAsServer wants the pods in the cache as the server has them.
func judgeCacheAsServer(s *check.S, informer cache.SharedIndexInformer, ns string) {
	onServer, err := s.Clientset().CoreV1().Pods(ns).List(s.Context(), metav1.ListOptions{})
	s.Setup(err, "list the pods")
	for _, pod := range onServer.Items {
		obj, ok, err := informer.GetIndexer().GetByKey(ns + "/" + pod.Name)
		s.Setup(err, "read pod "+pod.Name+" from the cache")
		if cached, _ := obj.(*corev1.Pod); ok && cached.ResourceVersion == pod.ResourceVersion {
			requireSamePod(s, "of pod "+pod.Name+" in the cache, the index function", &pod, cached)
		}
	}
}

func secondValues(name string, pod *corev1.Pod) []string {
	var values []string
	if name == NodeIndex && pod.Spec.NodeName != "" {
		values = append(values, pod.Spec.NodeName)
	}
	if name == OwnerIndex {
		for _, ref := range pod.OwnerReferences {
			values = append(values, string(ref.UID))
		}
	}
	return values
}

func secondCause(name string, got, want []string) string {
	switch {
	case slices.Contains(got, ""):
		return `"" is a value like any other: a pod that has nothing to be found by gets no values at all`
	case name == OwnerIndex && len(got) == 1 && len(want) == 2:
		return "a pod may have several owners, of which the controller is one: one value for each entry of ownerReferences"
	case name == OwnerIndex:
		return "the value is the UID of the owner, which is its own for ever; a name may be taken again by another object"
	default:
		return "the value is spec.nodeName, which the scheduler sets"
	}
}

func TestStep7_MoveToApp(t *testing.T) {
	check.Step(t, 7, "MoveToApp", func(s *check.S) {
		ns := s.Namespace()
		indexer := checkIndexer(checkIndexers())
		for name, of := range map[string]string{
			"web-1": "app=web,tier=front", "web-2": "app=web", "plain": "", "stuck": "app=web", "behind": "app=web",
		} {
			s.Setup(indexer.Add(s.CreatePod(ns, check.PendingPod(name, checkLabels(of)))), "put a pod into the cache")
		}
		checkRelabel(s, ns, "behind", "db")
		judgeMove(s, indexer, ns, "web-1", "db", "app=db,tier=front")
		judgeMove(s, indexer, ns, "plain", "web", "app=web")
		judgeMove(s, indexer, ns, "web-2", "web", "app=web")  // it is there already
		judgeMove(s, indexer, ns, "behind", "web", "app=web") // so says the cache, which is old

		within := func(limit time.Duration, name string) error {
			return s.CallWithin(10*time.Second, func(ctx context.Context) error {
				ctx, cancel := context.WithTimeout(ctx, limit)
				defer cancel()
				return MoveToApp(ctx, s.Clientset(), indexer, ns, name, "db")
			})
		}
		s.RequireReason(within(2*time.Second, "missing"), metav1.StatusReasonNotFound, nil, "the pod does not exist",
			"return the server's error, wrapped with %w")
		// The index never hears of the change.
		err := within(time.Second, "stuck")
		s.Require(err != nil, "ctx ended before the index had the pod under db, and MoveToApp returned no error",
			"the end of ctx is not the success of the wait")
		s.Requiref(errors.Is(err, context.DeadlineExceeded), "wrap ctx.Err() with %w",
			"ctx ended first; want an error that wraps context.DeadlineExceeded, got %v", err)
	})
}

// judgeMove moves one pod. The check is the informer: it brings the change into
// the cache a good while after the server has it.
func judgeMove(s *check.S, indexer cache.TypedIndexer[*corev1.Pod], ns, name, app, want string) {
	what := fmt.Sprintf("MoveToApp of pod %s to app %s ", name, app)
	key, m, before := ns+"/"+name, &checkMeter{TypedIndexer: indexer}, checkSnapshot(indexer)
	obj, _, err := indexer.GetByKey(key)
	s.Setup(err, "read the cache")
	cached := obj.(*corev1.Pod)
	var arrived atomic.Bool
	rec, cfg := s.Recorder()
	for _, verb := range []string{"patch", "update"} {
		rec.After(check.Match{Verb: verb, Resource: "pods", Name: name}, 1, func() error {
			bringLate(s, indexer, before[key], &arrived)
			return nil
		})
	}
	client, begin := s.ClientsetFor(cfg), time.Now()
	err = s.CallWithin(10*time.Second, func(ctx context.Context) error { return MoveToApp(ctx, client, m, ns, name, app) })
	early, took := !arrived.Load(), time.Since(begin).Milliseconds()+1
	s.Require(m.wrote.Load() == 0,
		what+"wrote to the indexer",
		checkSharedCause+": change the pod on the server and wait; a write of yours is overwritten, and hides that you are early")
	s.Requiref(checkSamePod(cached, before[key]),
		"a pod of the cache is read-only: the index does not learn of a change that is made in place, and everybody else sees it",
		"%schanged the pod in the cache: its labels were %v and are %v", what, before[key].Labels, cached.Labels)
	rec.Requiref(err == nil, moveCause(rec, err), "%sreturned an error: %v", what, err)
	pod, err := s.Clientset().CoreV1().Pods(ns).Get(s.Context(), name, metav1.GetOptions{})
	s.Setup(err, "get pod "+name)
	rec.Requiref(maps.Equal(pod.Labels, checkLabels(want)),
		"set the label app on the server, whatever the cache says, which may be old, and leave the others as they are",
		"after %son the server, the pod has the labels %v, want %v", what, pod.Labels, want)
	// A pod that is of the app already is in the index before the change, so there is nothing to wait for.
	rec.Requiref(!early || before[key].Labels["app"] == app,
		"the answer of the server is not yet the cache: ask the index until the key is there",
		"%sreturned before the index had the pod under %s", what, app)
	reads := rec.Count(check.Match{Verb: "get"}) + rec.Count(check.Match{Verb: "list"}) + rec.Count(check.Match{Verb: "watch"})
	rec.Requiref(reads <= 2, "wait on the index, which costs no request", "%sread from the server again and again", what)
	s.Requiref(m.asked.Load() < 20*took, "the wait has no pause: wait.PollUntilContextCancel, or a ticker",
		"%sasked the index %d times in %d ms", what, m.asked.Load(), took)
	s.Eventually(func() bool { // the next move begins with a cache at rest
		now, _, _ := indexer.GetByKey(key)
		return arrived.Load() && now.(*corev1.Pod).Labels["app"] == app
	})
}

// bringLate brings a pod into the cache some time later, as an informer does: first
// somebody else's change, then the server's state after another one, so that the
// cache skips a version.
func bringLate(s *check.S, indexer cache.Store, pod *corev1.Pod, arrived *atomic.Bool) {
	const lag = 300 * time.Millisecond
	time.AfterFunc(lag/3, func() {
		other := pod.DeepCopy()
		other.ResourceVersion += "1"
		metav1.SetMetaDataAnnotation(&other.ObjectMeta, "example.com/note", "by somebody else")
		_ = indexer.Update(other) // a pod has a key
	})
	time.AfterFunc(lag, func() {
		now, err := checkPatch(s, pod.Namespace, pod.Name, `{"metadata":{"annotations":{"example.com/note":"after"}}}`)
		if err != nil {
			return // the step's wait then ends with its context, and is reported
		}
		arrived.Store(true)
		_ = indexer.Update(now) // a pod has a key
	})
}

func checkSamePod(a, b *corev1.Pod) bool {
	return a.Name == b.Name && a.ResourceVersion == b.ResourceVersion && maps.Equal(a.Labels, b.Labels)
}

func moveCause(rec *check.Recorder, err error) string {
	switch {
	case rec.Count(check.Match{Verb: "patch"})+rec.Count(check.Match{Verb: "update"}) == 0:
		return "no write reached the server: the label is changed there, and nowhere else"
	case errors.Is(err, context.DeadlineExceeded):
		return "the wait did not see the pod under its new app, though the index had it: the key is namespace/name, the value is the " +
			"app, and the version may be a later one than yours"
	default:
		return check.CauseOf(err)
	}
}

func TestStep8_FindPods(t *testing.T) {
	check.Step(t, 8, "FindPods", func(s *check.S) {
		front, err := labels.Parse("tier in (front)")
		s.Setup(err, "parse a selector")
		judgeCachedAnswers(s, front)
		judgeFreshAnswers(s, front)
		judgeFreshErrors(s)
	})
}

func findPods(s *check.S, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], q Query) ([]*corev1.Pod, error) {
	return check.Call(s, func(ctx context.Context) ([]*corev1.Pod, error) { return FindPods(ctx, client, indexer, q) })
}

// checkCrowd are pods of many apps in two namespaces, those of web among them.
func checkCrowd() []*corev1.Pod {
	pods := []*corev1.Pod{checkPod("shop", "web-3", "app=web,tier=front"), checkPod("bank-2", "web-1", "app=web,tier=front")}
	for ns, fillers := range map[string]int{"shop": 400, "bank": 100} {
		for i := range fillers {
			pods = append(pods, checkPod(ns, fmt.Sprintf("filler-%03d", i), fmt.Sprintf("app=filler-%d,tier=back", i%20)))
		}
		pods = append(pods, checkPod(ns, "web-2", "app=web,tier=front"), checkPod(ns, "web-1", "app=web,tier=back"),
			checkPod(ns, "db-1", "app=db,tier=front"), checkPod(ns, "plain", ""))
	}
	return pods
}

// judgeCachedAnswers asks what the cache can answer, and counts what it costs.
func judgeCachedAnswers(s *check.S, front labels.Selector) {
	const (
		few        = 20
		inBank     = 3 * 104
		appOnly    = "an empty namespace means all, so NamespaceAppIndex has no such key: AppIndex is the index to ask"
		inShop     = "narrow down by namespace: the index NamespaceAppIndex, or a look at each pod that AppIndex gives"
		narrow     = "Selector narrows down what the index gives: selector.Matches(labels.Set(pod.Labels))"
		everywhere = "an empty namespace means all"
		anyOf      = "a nil Selector means that the labels may be anything: labels.Everything()"
	)
	pods := checkCrowd()
	all, indexer := int64(3*len(pods)), checkIndexer(checkIndexers(), pods...)
	web := []string{"bank/web-1", "bank/web-2", "bank-2/web-1", "shop/web-1", "shop/web-2", "shop/web-3"}
	for _, tc := range []cachedCase{
		{"the pods of web", Query{App: "web"}, web, few, appOnly},
		{"the pods of web in shop", Query{App: "web", Namespace: "shop"}, web[3:], few, inShop},
		{"the front pods of web in shop", Query{App: "web", Namespace: "shop", Selector: front}, web[4:], few, narrow},
		{"the front pods of web", Query{App: "web", Selector: front},
			[]string{"bank/web-2", "bank-2/web-1", "shop/web-2", "shop/web-3"}, few, narrow},
		{"the pods of an app that no pod has", Query{App: "nobody"}, nil, few, "no pods is no error"},
		{"the front pods in bank", Query{Namespace: "bank", Selector: front}, []string{"bank/db-1", "bank/web-2"}, inBank,
			"a lister takes a namespace and a selector"},
		{"the front pods", Query{Selector: front},
			[]string{"bank/db-1", "bank/web-2", "bank-2/web-1", "shop/db-1", "shop/web-2", "shop/web-3"}, all, everywhere},
		{"all pods in bank", Query{Namespace: "bank"}, checkKeysIn(pods, "bank"), inBank, anyOf},
		{"all pods", Query{}, checkKeysIn(pods, ""), all, "nothing in the query means all pods, also those without an app"},
	} {
		judgeCached(s, indexer, tc)
	}
	judgeFollowed(s, indexer)
	_, err := findPods(s, s.Clientset(), checkIndexer(checkNoIndexes, pods...), Query{App: "web"})
	s.Requiref(err != nil, "the error of ByTypedIndex is dropped, so a missing index looks like an app without pods",
		"the indexer has no index %s, and FindPods returned no error for a query with App", AppIndex)
}

// cachedCase is a query, its answer, and how many pods and keys that may cost.
type cachedCase struct {
	what   string
	q      Query
	want   []string
	budget int64
	cause  string
}

func judgeCached(s *check.S, indexer cache.TypedIndexer[*corev1.Pod], tc cachedCase) {
	m, before := &checkMeter{TypedIndexer: indexer}, checkSnapshot(indexer)
	rec, cfg := s.Recorder()
	got, err := findPods(s, s.ClientsetFor(cfg), m, tc.q)
	what := "asked for " + tc.what + ", "
	s.Requiref(err == nil, "the indexes and the lister answer this without an error", "%sFindPods returned an error: %v", what, err)
	rec.Requiref(rec.Count(check.Match{}) == 0, "only Fresh needs the server: the cache has the answer", "%sFindPods made a request", what)
	requireUntouched(s, indexer, before)
	s.Require(m.wrote.Load() == 0, what+"FindPods wrote to the indexer", checkSharedCause)
	judgeKeys(s, what+"the pods of FindPods", checkKeysOf(got), tc.want, tc.cause)
	s.Requiref(m.read.Load() <= tc.budget, checkCostCause(tc.q),
		"%sFindPods took %d pods and keys from the cache for an answer of %d; the cache has %d pods", what, m.read.Load(), len(tc.want),
		len(before))
}

// judgeFollowed changes the cache: the index follows its pods, and so must the answer.
func judgeFollowed(s *check.S, indexer cache.TypedIndexer[*corev1.Pod]) {
	for _, tc := range []struct {
		after string
		do    func() error
		want  []string
	}{
		{"", func() error { return nil }, []string{"bank/web-1", "bank/web-2", "bank-2/web-1", "shop/web-1", "shop/web-2", "shop/web-3"}},
		{"after pod shop/web-1 was relabelled from web to db, ",
			func() error { return indexer.Update(checkPod("shop", "web-1", "app=db,tier=back")) },
			[]string{"bank/web-1", "bank/web-2", "bank-2/web-1", "shop/web-2", "shop/web-3"}},
		{"after pod bank/web-2 was deleted, ", func() error { return indexer.Delete(checkPod("bank", "web-2", "")) },
			[]string{"bank/web-1", "bank-2/web-1", "shop/web-2", "shop/web-3"}},
	} {
		s.Setup(tc.do(), "change the cache")
		got, err := findPods(s, s.Clientset(), indexer, Query{App: "web"})
		s.Requiref(err == nil && slices.Equal(checkKeysOf(got), tc.want), checkStaleCause,
			"%sFindPods gave %v for web, and %s; want %v", tc.after, checkKeysOf(got), check.ErrorText(err), tc.want)
	}
}

func checkCostCause(q Query) string {
	if q.App != "" {
		return "the index is there and is not used: a selector over a lister looks at every pod, ByTypedIndex at those of one app"
	}
	return "a lister for one namespace, Pods(namespace), uses the namespace index; one for all namespaces looks at every pod"
}

func checkKeysIn(pods []*corev1.Pod, namespace string) []string {
	return slices.DeleteFunc(checkKeysOf(pods), func(key string) bool {
		return namespace != "" && !strings.HasPrefix(key, namespace+"/")
	})
}

func checkSome(keys []string) string {
	const shown = 12
	if len(keys) <= shown {
		return fmt.Sprint(keys)
	}
	return fmt.Sprintf("%d pods, first %v", len(keys), keys[:shown])
}

// judgeFreshAnswers asks what only the server knows: the cache at hand is old.
func judgeFreshAnswers(s *check.S, front labels.Selector) {
	ns, other := s.Namespace(), s.Namespace()
	app := "web-" + ns // nobody else has it, so that a list of all namespaces can be judged
	for name, of := range map[string]string{"web-2": app + ",tier=front", "web-1": app + ",tier=back", "db-1": "db,tier=front"} {
		s.CreatePod(ns, check.PendingPod(name, checkLabels("app="+of)))
	}
	s.CreatePod(other, check.PendingPod("web-1", checkLabels("app="+app)))
	old := checkIndexer(checkIndexers(), checkPod(ns, "ghost", "app="+app+",tier=front"))
	db1, web1, web2 := ns+"/db-1", ns+"/web-1", ns+"/web-2"
	for _, tc := range []cachedCase{
		{what: "the pods of an app in a namespace", q: Query{Namespace: ns, App: app}, want: []string{web1, web2}},
		{what: "the front pods of an app in a namespace", q: Query{Namespace: ns, App: app, Selector: front}, want: []string{web2}},
		{what: "the pods of an app in all namespaces", q: Query{App: app}, want: []string{web1, web2, other + "/web-1"}},
		{what: "the front pods in a namespace", q: Query{Namespace: ns, Selector: front}, want: []string{db1, web2}},
		{what: "all pods in a namespace", q: Query{Namespace: ns}, want: []string{db1, web1, web2}},
	} {
		tc.q.Fresh = true
		judgeFresh(s, old, tc)
	}
}

func judgeFresh(s *check.S, old cache.TypedIndexer[*corev1.Pod], tc cachedCase) {
	rec, cfg := s.Recorder()
	got, err := findPods(s, s.ClientsetFor(cfg), old, tc.q)
	what := "asked freshly for " + tc.what + ", "
	rec.Requiref(err == nil, check.CauseOf(err), "%sFindPods returned an error: %v", what, err)
	keys := checkKeysOf(got)
	rec.Requiref(!slices.ContainsFunc(keys, func(key string) bool { return strings.HasSuffix(key, "/ghost") }),
		"Fresh comes first: a cache is always a little behind, so the server is asked",
		"%sFindPods gave pod ghost, which is only in the cache", what)
	rec.Requiref(check.SameElements(keys, tc.want), "App and Selector both go into labelSelector, and Namespace into the path",
		"%sFindPods gave %s, want %s", what, checkSome(keys), tc.want)
	judgeKeys(s, what+"the pods of FindPods", keys, tc.want, "")
	sent := rec.Requests(check.Match{})
	rec.Requiref(len(sent) == 1 && sent[0].Verb == "list" && sent[0].Resource == "pods", "one list request brings the whole answer",
		"%sFindPods made %d requests, want one list", what, len(sent))
	rec.Requiref(sent[0].Namespace == tc.q.Namespace, "the server lists one namespace when it is named in the path; do not let it send all",
		"%sFindPods listed namespace %q, want %q", what, sent[0].Namespace, tc.q.Namespace)
	version, limit, selector := sent[0].Query.Get("resourceVersion"), sent[0].Query.Get("limit"), sent[0].Query.Get("labelSelector")
	rec.Requiref(version == "", "with a resourceVersion, 0 in particular, the server may answer with an older state",
		"%sFindPods sent resourceVersion=%s", what, version)
	rec.Requiref(limit == "", "a limit cuts a long answer, and one request is all there is: set none", "%sFindPods sent limit=%s", what, limit)
	const filtered = "the pods are filtered after they came: let the server do it, with labelSelector"
	rec.Requiref(strings.Contains(selector, tc.q.App), filtered, "%sthe request does not name the app in labelSelector", what)
	rec.Requiref(tc.q.Selector == nil || strings.Contains(selector, "tier"), filtered, "%sthe request does not hold the Selector", what)
}

// judgeFreshErrors has the server refuse, and asks for what nothing matches.
func judgeFreshErrors(s *check.S) {
	ns := s.Namespace()
	s.CreatePod(ns, check.PendingPod("web-1", checkLabels("app=web")))
	old := checkIndexer(checkIndexers(), checkPod(ns, "ghost", "app=web"))
	rec, cfg := s.Recorder()
	rec.Refuse(check.Match{Verb: "list"}, http.StatusInternalServerError)
	_, err := findPods(s, s.ClientsetFor(cfg), old, Query{Fresh: true, Namespace: ns, App: "web"})
	rec.Requiref(apierrors.IsInternalError(err), "do not fall back to the cache, and do not drop the error: wrap it with %w",
		"the server answered 500; want an error that wraps its status, got %s", check.ErrorText(err))
	for _, app := range []string{"", "web"} {
		rec, cfg := s.Recorder()
		got, err := findPods(s, s.ClientsetFor(cfg), old, Query{Fresh: true, Namespace: ns, App: app, Selector: labels.Nothing()})
		rec.Requiref(err == nil && len(got) == 0,
			"a Selector that matches nothing is empty as text, and to the server an empty one matches all: labels.MatchesNothing tells",
			"asked freshly for pods of app %q that match labels.Nothing(), FindPods gave %s and %s", app, checkSome(checkKeysOf(got)),
			check.ErrorText(err))
	}
}
