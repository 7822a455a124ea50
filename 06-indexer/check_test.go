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
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/check"
)

func checkClientset(s *check.S, cfg *rest.Config) kubernetes.Interface {
	client, err := kubernetes.NewForConfig(cfg)
	s.Setup(err, "build a clientset")
	return client
}

// checkRelabel sets a pod's label app on the server, as somebody else would.
func checkRelabel(s *check.S, namespace, name, app string) {
	_, err := s.Clientset().CoreV1().Pods(namespace).Patch(s.Context(), name, types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"app":"`+app+`"}}}`), metav1.PatchOptions{})
	s.Setup(err, "relabel pod "+name)
}

func checkDeletePod(s *check.S, namespace, name string) {
	zero := int64(0)
	err := s.Clientset().CoreV1().Pods(namespace).Delete(s.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &zero})
	s.Setup(err, "delete pod "+name)
}

func TestStep1_AppIndexFunc(t *testing.T) {
	check.Step(t, 1, "AppIndexFunc", func(s *check.S) {
		web := map[string]string{"app": "web", "tier": "front", "k8s-app": "kube-dns"}
		const noLabel = "a pod without the label belongs to no value: return no values and no error"
		const otherType = "index pods only: assert the type with comma-ok, and return no values and no error for everything else"
		for _, tc := range []struct {
			what  string
			obj   any
			want  []string
			cause string
		}{
			{"a pod with app=web among other labels", checkPod("shop", "web-1", web), []string{"web"}, "the value is the value of the label app alone"},
			{"a pod of another app, app=db", checkPod("shop", "db-1", map[string]string{"app": "db"}), []string{"db"}, "the value is the value of the label app, whatever it is"},
			{"a pod whose label app is empty", checkPod("shop", "empty", map[string]string{"app": ""}), []string{""}, "an empty label is there all the same, and a selector finds it: ask the map with comma-ok"},
			{"a pod of app=web whose deletion has begun", checkEnding("shop", "ending", web), []string{"web"}, "the label alone counts: the pod is in the cache until it is gone"},
			{"a pod with labels but without app", checkPod("shop", "other", map[string]string{"tier": "front"}), nil, noLabel},
			{"a pod whose labels are nil", checkPod("shop", "plain", nil), nil, noLabel},
			{"a Deployment with app=web", &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: web}}, nil, otherType},
			{"a string", "web", nil, otherType},
			{"nil", nil, nil, otherType},
			{"a tombstone of a pod with app=web", cache.DeletedFinalStateUnknown{Key: "shop/web-1", Obj: checkPod("shop", "web-1", web)}, nil,
				"a tombstone is not the pod: when a pod leaves the cache, the cache itself asks for the values of the pod that it held"},
		} {
			var before *corev1.Pod
			if pod, ok := tc.obj.(*corev1.Pod); ok {
				before = pod.DeepCopy()
			}
			var got []string
			err := s.Call(func(context.Context) (err error) {
				got, err = AppIndexFunc(tc.obj)
				return err
			})
			s.Require(err == nil, fmt.Sprintf("for %s, AppIndexFunc returned an error: %v", tc.what, err),
				"the cache panics on an error of an index function, which ends the program: an object that has no value is no error")
			s.Require(slices.Equal(got, tc.want), fmt.Sprintf("for %s, the values are %q, want %q", tc.what, got, tc.want), valuesCause(got, tc.want, tc.cause))
			if before != nil {
				requireSamePod(s, "for "+tc.what+", AppIndexFunc", before, tc.obj.(*corev1.Pod))
			}
		}
	})
}

// valuesCause knows the one mistake that every index function invites.
func valuesCause(got, want []string, cause string) string {
	if len(want) == 0 && len(got) == 1 && got[0] == "" {
		return `[""] is not "no values": it is one value, the empty string, and every object without a label would be found under it`
	}
	return cause
}

func TestStep2_NewIndexedInformer(t *testing.T) {
	check.Step(t, 2, "NewIndexedInformer", func(s *check.S) {
		ns := s.Namespace()
		s.CreatePod(ns, check.PendingPod("web-1", map[string]string{"app": "web"}))
		s.CreatePod(ns, check.PendingPod("web-2", map[string]string{"app": "web"}))
		s.CreatePod(ns, check.PendingPod("db-1", map[string]string{"app": "db"}))
		s.CreatePod(ns, check.PendingPod("plain", nil))
		rec, cfg := s.Recorder()
		factory := informers.NewSharedInformerFactoryWithOptions(checkClientset(s, cfg), 0, informers.WithNamespace(ns))
		// Another function than step 1's, so that it shows which one is used.
		indexFunc := func(obj any) ([]string, error) {
			values, err := checkAppIndexFunc(obj)
			for i := range values {
				values[i] = "the-check's-" + values[i]
			}
			return values, err
		}

		var informer coreinformers.PodIndexInformer
		s.Must(func(context.Context) (err error) {
			informer, err = NewIndexedInformer(factory, indexFunc)
			return err
		})
		s.Require(informer != nil, "NewIndexedInformer returned no informer and no error", "the informer is not returned")
		time.Sleep(100 * time.Millisecond) // an informer that was started would be at work by now
		s.Require(rec.Count(check.Match{}) == 0, "NewIndexedInformer made a request\n"+rec.Trace(),
			"the informer was started: that is for the caller, once all informers and indexes are there")
		indexers := informer.GetIndexer().GetIndexers()
		s.Require(indexers[AppIndex] != nil, fmt.Sprintf("the informer has the indexes %v, want %s among them", slices.Sorted(maps.Keys(indexers)), AppIndex),
			"AddIndexers is not called, or with another name: the name of an index is compared letter by letter")
		s.Require(informer.GetIndexer() == factory.Core().V1().Pods().Informer().GetIndexer(),
			"the returned informer has another cache than the factory's pod informer",
			"an informer of its own makes a second watch and a second cache, and the factory does not start it: take factory.Core().V1().Pods()")
		s.Require(indexers[cache.NamespaceIndex] != nil, fmt.Sprintf("the informer has the indexes %v, and has lost %s", slices.Sorted(maps.Keys(indexers)), cache.NamespaceIndex),
			"add an index to those that are there")
		s.Require(len(indexers) == 2, fmt.Sprintf("the informer has the indexes %v, want %s and %s alone", slices.Sorted(maps.Keys(indexers)), AppIndex, cache.NamespaceIndex),
			"one more index is asked for; each costs time at every change, and a later caller of its name gets an error")

		ctx, stop := context.WithCancel(s.Context())
		s.T().Cleanup(factory.Shutdown)
		s.T().Cleanup(stop)
		factory.StartWithContext(ctx)
		s.Require(checkEventually(ctx, informer.HasSynced), fmt.Sprintf("%s after factory.Start, the informer has not synced\n%s", waitPeriod, rec.Trace()),
			"the informer is not the factory's")
		keys, err := informer.GetIndexer().IndexKeys(AppIndex, "the-check's-web")
		s.Require(err == nil && checkSameSet(keys, []string{ns + "/web-1", ns + "/web-2"}),
			fmt.Sprintf("with an index function that gives \"the-check's-web\", the index has %v under that value (values: %v)", keys, informer.GetIndexer().ListIndexFuncValues(AppIndex)),
			"the function that the caller gave is not the one that is used")

		err = s.Call(func(context.Context) error {
			_, err := NewIndexedInformer(factory, indexFunc)
			return err
		})
		s.Require(err != nil, fmt.Sprintf("the factory's informer has the index %s already, and a second call returned no error", AppIndex),
			"the error of AddIndexers is dropped: the second caller's function would never be used, and nobody would know")
	})
}

// notStreaming is a client that says of itself that it cannot stream a list.
type notStreaming struct{ kubernetes.Interface }

func (notStreaming) IsWatchListSemanticsUnSupported() bool { return true }

func TestStep3_NewHandMadeInformer(t *testing.T) {
	check.Step(t, 3, "NewHandMadeInformer", func(s *check.S) {
		ns, other := s.Namespace(), s.Namespace()
		s.CreatePod(ns, check.PendingPod("web-1", map[string]string{"app": "web"}))
		s.CreatePod(ns, check.PendingPod("db-1", map[string]string{"app": "db"}))
		s.CreatePod(other, check.PendingPod("decoy", map[string]string{"app": "web"}))

		build := func(client kubernetes.Interface, indexers cache.Indexers) (cache.SharedIndexInformer, error) {
			var informer cache.SharedIndexInformer
			err := s.Call(func(context.Context) (err error) {
				informer, err = NewHandMadeInformer(client, ns, indexers)
				return err
			})
			return informer, err
		}
		start := func(rec *check.Recorder, informer cache.SharedIndexInformer) {
			ctx, stop := context.WithCancel(s.Context())
			s.T().Cleanup(stop)
			go informer.RunWithContext(ctx)
			s.Require(checkEventually(ctx, informer.HasSynced), fmt.Sprintf("%s after its start, the informer has not synced\n%s", waitPeriod, rec.Trace()), notSyncedCause(rec))
		}

		rec, cfg := s.Recorder()
		callers := cache.Indexers{"check": checkAppIndexFunc}
		informer, err := build(checkClientset(s, cfg), callers)
		s.Require(err == nil, fmt.Sprintf("NewHandMadeInformer returned an error: %v", err), check.CauseOf(err))
		s.Require(informer != nil, "NewHandMadeInformer returned no informer and no error", "the informer is not returned")
		time.Sleep(100 * time.Millisecond) // an informer that was started would be at work by now
		s.Require(rec.Count(check.Match{}) == 0, "NewHandMadeInformer made a request\n"+rec.Trace(), "the informer was started, or the list was read: running it is for the caller")
		s.Require(slices.Equal(slices.Collect(maps.Keys(callers)), []string{"check"}),
			fmt.Sprintf("the caller's map of indexers had the name check and has %v", slices.Sorted(maps.Keys(callers))),
			"the map is the caller's, who may give it to another informer too: put its entries into a map of your own, or use AddIndexers")
		indexers := informer.GetIndexer().GetIndexers()
		s.Require(indexers["check"] != nil, fmt.Sprintf("the caller's index is called check; the informer has %v", slices.Sorted(maps.Keys(indexers))), "the caller's indexes are not handed on")
		s.Require(indexers[cache.NamespaceIndex] != nil, fmt.Sprintf("the informer has the indexes %v, want %s among them", slices.Sorted(maps.Keys(indexers)), cache.NamespaceIndex),
			"only a factory adds the namespace index by itself; without it a namespace lister looks at every object")
		s.Require(informer.AddIndexers(cache.Indexers{"late": checkAppIndexFunc}) == nil && len(callers) == 1,
			fmt.Sprintf("an index that was added to the informer turned up in the caller's map: %v", slices.Sorted(maps.Keys(callers))),
			"an informer keeps the map that it is given and adds to it: give it a map of its own")

		start(rec, informer)
		s.Require(checkEventually(s.Context(), func() bool { return len(informer.GetStore().ListKeys()) >= 2 }),
			fmt.Sprintf("the informer has synced and holds %v, want the pods db-1 and web-1 of %s\n%s", informer.GetStore().ListKeys(), ns, rec.Trace()),
			"objects of another type than the example object's are dropped: the example is &corev1.Pod{}, neither a list nor another kind")
		keys := informer.GetStore().ListKeys()
		s.Require(!slices.Contains(keys, other+"/decoy"), fmt.Sprintf("the informer on %s holds pod decoy of %s\n%s", ns, other, rec.Trace()),
			"the list and the watch are for one namespace: Pods(namespace)")
		s.Require(checkSameSet(keys, []string{ns + "/web-1", ns + "/db-1"}), fmt.Sprintf("the informer holds %v, want the pods db-1 and web-1 of %s\n%s", keys, ns, rec.Trace()),
			"hand the options of the informer on to both requests, unchanged")

		// The cluster moves on.
		ofApp := func(app string) []string {
			keys, err := informer.GetIndexer().IndexKeys("check", app)
			s.Setup(err, "ask the index")
			return keys
		}
		s.CreatePod(ns, check.PendingPod("web-2", map[string]string{"app": "web"}))
		checkRelabel(s, ns, "db-1", "web")
		checkDeletePod(s, ns, "web-1")
		s.Require(checkEventually(s.Context(), func() bool {
			return checkSameSet(ofApp("web"), []string{ns + "/web-2", ns + "/db-1"}) && len(ofApp("db")) == 0
		}), fmt.Sprintf("web-2 was created, db-1 relabelled to web, web-1 deleted; the index has web %v and db %v\n%s", ofApp("web"), ofApp("db"), rec.Trace()),
			"the watch does not bring the changes: hand the options that the watch function gets on to Watch, unchanged; the resource version is in them")
		s.Require(rec.Count(check.Match{Verb: "list"})+rec.Count(check.Match{Verb: "watch"}) <= 3, "an informer on a quiet cluster needs a watch, and a list at most\n"+rec.Trace(),
			"the watch begins anew again and again: hand its options on unchanged")

		// A client that cannot stream.
		rec, cfg = s.Recorder()
		informer, err = build(notStreaming{checkClientset(s, cfg)}, callers)
		s.Require(err == nil && informer != nil, fmt.Sprintf("for the same indexers a second time, NewHandMadeInformer returned %s", check.ErrorText(err)),
			"the caller's map was changed by the first call")
		start(rec, informer)
		for _, req := range rec.Requests(check.Match{Verb: "watch"}) {
			s.Require(req.Query.Get("sendInitialEvents") == "",
				"the client says that it cannot stream a list, and the informer asked it for a stream\n"+rec.Trace(),
				"the ListWatch does not declare what the client can do: cache.ToListWatcherWithWatchListSemantics(lw, client). With a fake client, such an informer never syncs")
		}
		lists := rec.Requests(check.Match{Verb: "list"})
		s.Require(len(lists) > 0, "the client cannot stream a list, and the informer did not list\n"+rec.Trace(), "the list function belongs to the ListWatch too")
		s.Require(lists[0].Namespace == ns, "the list went to another place than namespace "+ns+"\n"+rec.Trace(), "list and watch are for the same namespace")
		s.Require(lists[0].Query.Get("resourceVersion") == "0", "the first list has no resourceVersion=0, which the informer asks for\n"+rec.Trace(),
			"the list function drops the options that it gets: hand them on unchanged")

		_, err = build(checkClientset(s, s.Config()), cache.Indexers{cache.NamespaceIndex: checkAppIndexFunc})
		s.Require(err != nil, fmt.Sprintf("the caller brought an index called %s, and NewHandMadeInformer returned no error", cache.NamespaceIndex),
			"one of the two indexes is lost: AddIndexers tells a conflict, a plain map does not")
		informer, err = build(checkClientset(s, s.Config()), nil)
		s.Require(err == nil && informer != nil && informer.GetIndexer().GetIndexers()[cache.NamespaceIndex] != nil,
			fmt.Sprintf("a caller without indexes, whose map is nil, gets %s, or an informer without the index %s", check.ErrorText(err), cache.NamespaceIndex),
			"a nil map can be read and not be written to, and maps.Clone of it is nil: begin with a map of your own")
	})
}

func notSyncedCause(rec *check.Recorder) string {
	watches := rec.Requests(check.Match{Verb: "watch"})
	switch {
	case rec.Count(check.Match{}) == 0:
		return "no request was sent: the list and the watch function do not reach the client"
	case len(watches) > 0 && watches[0].Query.Get("sendInitialEvents") == "" && rec.Count(check.Match{Verb: "list"}) == 0:
		return "the watch function drops the options that it gets: they ask for the initial objects (sendInitialEvents), and the informer waits for the end of those"
	case len(watches) > 0 && watches[0].Status == http.StatusOK && watches[0].Query.Get("sendInitialEvents") != "":
		return "the pods arrive and the informer drops them, and the bookmark that ends them: objects of another type than the example object's are dropped. The example is &corev1.Pod{}, neither a list nor another kind"
	default:
		return "hand the context and the options of both functions on to the client, unchanged"
	}
}

func TestStep4_ReportApp(t *testing.T) {
	check.Step(t, 4, "ReportApp", func(s *check.S) {
		web := map[string]string{"app": "web"}
		indexer := checkIndexer(checkIndexers())
		add := func(pod *corev1.Pod) { s.Setup(indexer.Update(pod), "put a pod into the cache") }
		for _, key := range []string{"bank/web-9", "shop/web-1", "bank/web-10", "shop/web-0", "zoo/a", "bank-2/web-1", "bank/web-1"} {
			namespace, name, _ := strings.Cut(key, "/")
			add(checkPod(namespace, name, web))
		}
		for i := range 300 {
			add(checkPod("shop", fmt.Sprintf("filler-%d", i), map[string]string{"app": fmt.Sprintf("filler-%d", i%7)}))
		}
		add(checkPod("shop", "db-1", map[string]string{"app": "db"}))
		add(checkPod("shop", "plain", nil))
		apps := []string{"db", "filler-0", "filler-1", "filler-2", "filler-3", "filler-4", "filler-5", "filler-6", "web"}

		judge := func(after, app string, want, apps []string, cause string) {
			m := &checkMeter{TypedIndexer: indexer}
			before := checkSnapshot(indexer)
			var got *AppReport
			err := s.Call(func(context.Context) (err error) {
				got, err = ReportApp(m, app)
				return err
			})
			s.Require(err == nil, fmt.Sprintf("%sReportApp(%q) returned an error: %v", after, app, err), "an app without pods is no error, and the index is called "+AppIndex)
			s.Require(got != nil, fmt.Sprintf("%sReportApp(%q) returned no report and no error", after, app), "return the report, also when no pod is in it")
			requireUntouched(s, indexer, before)
			s.Require(m.wrote.Load() == 0, "ReportApp wrote to the indexer", "the cache belongs to the informer")
			keys := checkKeysOf(got.Pods)
			s.Require(checkSameSet(keys, want), fmt.Sprintf("%sPods of %s are %v, want %v", after, app, keys, want), cause)
			s.Require(slices.Equal(keys, checkInOrder(slices.Clone(want)...)), fmt.Sprintf("%sPods of %s are in the order %v, want %v", after, app, keys, checkInOrder(slices.Clone(want)...)),
				"an index has no order, and gives another one each time: sort by namespace, then by name. The key as one text sorts otherwise, with bank-2/x before bank/x")
			sorted := slices.Sorted(slices.Values(want))
			s.Require(slices.Equal(got.Keys, sorted) || slices.Equal(got.Keys, keys), fmt.Sprintf("%sKeys of %s are %v, want %v", after, app, got.Keys, sorted), "IndexKeys gives the keys, namespace/name, of one value; sort them")
			s.Require(checkSameSet(got.Apps, apps), fmt.Sprintf("%sApps are %v, want %v", after, got.Apps, apps), "ListIndexFuncValues gives every value of an index, whichever app was asked for")
			s.Require(slices.Equal(got.Apps, apps), fmt.Sprintf("%sApps are in the order %v, want %v", after, got.Apps, apps), "ListIndexFuncValues has no order: sort its result")
			read, budget := m.read.Load(), int64(4*len(want)+8)
			s.Require(read <= budget, fmt.Sprintf("ReportApp took %d pods and keys from the cache for an app with %d pods", read, len(want)),
				"the whole cache is read and filtered; the index has the answer: ByTypedIndex, IndexKeys")
		}
		webs := []string{"bank/web-1", "bank/web-10", "bank/web-9", "bank-2/web-1", "shop/web-0", "shop/web-1", "zoo/a"}
		for range 3 { // an order that is right by chance is not right three times
			judge("", "web", webs, apps, "ByTypedIndex(AppIndex, app) gives the pods of all namespaces under one value")
		}
		judge("", "nobody", nil, apps, "no pod has this app")

		add(checkPod("shop", "web-0", map[string]string{"app": "db"}))
		judge("after pod shop/web-0 was relabelled from web to db, ", "web", slices.Delete(slices.Clone(webs), 4, 5), apps, checkStaleCause)
		judge("after pod shop/web-0 was relabelled from web to db, ", "db", []string{"shop/db-1", "shop/web-0"}, apps, checkStaleCause)
		s.Setup(indexer.Delete(checkPod("shop", "db-1", nil)), "take a pod out of the cache")
		s.Setup(indexer.Delete(checkPod("shop", "web-0", nil)), "take a pod out of the cache")
		judge("after the last pods of db were deleted, ", "db", nil, apps[1:], checkStaleCause)

		for _, app := range []string{"web", "nobody"} {
			without := checkIndexer(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, checkPod("shop", "web-1", web))
			err := s.Call(func(context.Context) error {
				_, err := ReportApp(without, app)
				return err
			})
			s.Require(err != nil, fmt.Sprintf("the indexer has no index %s, and ReportApp(%q) returned no error", AppIndex, app),
				"an unknown index looks like an empty one when the error of ByTypedIndex or IndexKeys is dropped; ListIndexFuncValues has none to give")
		}
	})
}

func TestStep5_NamespaceAppIndexFunc(t *testing.T) {
	check.Step(t, 5, "NamespaceAppIndexFunc", func(s *check.S) {
		const noLabel = "a pod without the label app belongs to no value: return no values and no error"
		for _, tc := range []struct {
			pod   *corev1.Pod
			want  []string
			cause string
		}{
			{checkPod("shop", "web-1", map[string]string{"app": "web", "tier": "front"}), []string{"shop/web"},
				"one value that holds the namespace, a slash and the app"},
			{checkPod("bank", "web-1", map[string]string{"app": "web"}), []string{"bank/web"},
				"one value that holds the namespace, a slash and the app"},
			{checkPod("shop", "empty", map[string]string{"app": ""}), []string{"shop/"}, "an empty label is there all the same: ask the map with comma-ok"},
			{checkEnding("shop", "ending", map[string]string{"app": "web"}), []string{"shop/web"}, "the label alone counts, although its deletion has begun: the pod is in the cache until it is gone"},
			{checkPod("shop", "other", map[string]string{"tier": "front"}), nil, noLabel},
			{checkPod("shop", "plain", nil), nil, noLabel},
		} {
			what := fmt.Sprintf("for pod %s/%s with the labels %v", tc.pod.Namespace, tc.pod.Name, tc.pod.Labels)
			before := tc.pod.DeepCopy()
			var got []string
			err := s.Call(func(context.Context) (err error) {
				got, err = NamespaceAppIndexFunc(tc.pod)
				return err
			})
			s.Require(err == nil, fmt.Sprintf("%s, NamespaceAppIndexFunc returned an error: %v", what, err),
				"the cache panics on an error of an index function, which ends the program")
			cause := tc.cause
			if len(tc.want) == 0 && len(got) == 1 {
				cause = "every pod without the label would be found under this value: return no values at all"
			}
			if len(got) == 1 && got[0] == tc.pod.Labels["app"] {
				cause = "an index spans all namespaces: the namespace is part of the value, or pods of another namespace are found"
			}
			if len(got) > len(tc.want) && len(tc.want) == 1 {
				cause = "two values mean \"found under either\": a pod that must match both is found under one value that holds both"
			}
			s.Require(slices.Equal(got, tc.want), fmt.Sprintf("%s, the values are %q, want %q", what, got, tc.want), cause)
			requireSamePod(s, what+", NamespaceAppIndexFunc", before, tc.pod)
		}

		// In a cache that sees two namespaces.
		indexer := checkIndexer(cache.Indexers{NamespaceAppIndex: cache.TypedIndexerFuncToIndexerFunc(NamespaceAppIndexFunc)},
			checkPod("shop", "web-1", map[string]string{"app": "web"}), checkPod("bank", "web-1", map[string]string{"app": "web"}), checkPod("shop", "plain", nil))
		keys, err := indexer.IndexKeys(NamespaceAppIndex, "shop/web")
		s.Setup(err, "ask the index")
		s.Require(slices.Equal(keys, []string{"shop/web-1"}), fmt.Sprintf("the index has %v under shop/web, want [shop/web-1]", keys), "the value does not hold the namespace")
	})
}

func TestStep6_AddSecondIndex(t *testing.T) {
	check.Step(t, 6, "AddSecondIndex", func(s *check.S) {
		ns := s.Namespace()
		owners := ownersFor(s, ns)
		create := func(name string, refs ...metav1.OwnerReference) {
			pod := check.PendingPod(name, map[string]string{"app": "web"})
			pod.OwnerReferences = refs
			s.CreatePod(ns, pod)
		}
		create("no-owner")
		create("one-owner", owners[0])
		create("two-owners", owners...)
		bound := check.PendingPod("bound", nil)
		bound.Spec.SchedulerName = ""
		s.CreatePod(ns, bound)

		ctx, stop := context.WithCancel(s.Context())
		factory := informers.NewSharedInformerFactoryWithOptions(s.Clientset(), 0, informers.WithNamespace(ns))
		informer := factory.Core().V1().Pods().TypedInformer()
		s.T().Cleanup(factory.Shutdown)
		s.T().Cleanup(stop)
		factory.StartWithContext(ctx)
		isBound := func() bool {
			pod, ok, err := informer.GetIndexer().GetByKey(ns + "/bound")
			return err == nil && ok && pod.(*corev1.Pod).Spec.NodeName != ""
		}
		// The pods are there before HasSynced says so: a step that asks it must find the same each time.
		if !checkEventually(ctx, informer.HasSynced) || !checkEventually(ctx, isBound) || !checkEventually(ctx, func() bool { return len(informer.GetStore().ListKeys()) == 4 }) {
			s.Setup(errors.New("pod bound has no node yet"), "fill an informer")
		}

		var name string
		s.Must(func(context.Context) (err error) {
			name, err = AddSecondIndex(informer)
			return err
		})
		s.Require(name == NodeIndex || name == OwnerIndex, fmt.Sprintf("AddSecondIndex returned the name %q, want %q or %q", name, NodeIndex, OwnerIndex), "return the name of the index that was added")
		names := slices.Sorted(maps.Keys(informer.GetIndexer().GetIndexers()))
		s.Require(slices.Contains(names, name), fmt.Sprintf("the informer has the indexes %v, want %s among them", names, name),
			"the index was not added to this informer, or under another name than the one returned")
		judgeSecondIndex(s, informer.GetTypedIndexer(), name, "")

		create("late", owners...)
		s.Require(checkEventually(ctx, func() bool { return len(informer.GetStore().ListKeys()) == 5 }), "pod late did not come into the cache of a running informer", "the informer was stopped")
		judgeSecondIndex(s, informer.GetTypedIndexer(), name, "after pod late was created, ")
		onServer, err := s.Clientset().CoreV1().Pods(ns).List(ctx, metav1.ListOptions{})
		s.Setup(err, "list the pods")
		for _, pod := range onServer.Items {
			obj, ok, err := informer.GetIndexer().GetByKey(ns + "/" + pod.Name)
			s.Setup(err, "read pod "+pod.Name+" from the cache")
			if cached, _ := obj.(*corev1.Pod); ok && cached.ResourceVersion == pod.ResourceVersion {
				requireSamePod(s, "of pod "+pod.Name+" in the cache, the index function", &pod, cached)
			}
		}

		err = s.Call(func(context.Context) error {
			_, err := AddSecondIndex(informer)
			return err
		})
		s.Require(err != nil, fmt.Sprintf("the informer has the index %s already, and a second call returned no error", name), "the error of AddTypedIndexers or AddIndexers is dropped")
	})
}

// ownersFor makes two objects that may own a pod: the garbage collector deletes
// a pod whose owners do not exist.
func ownersFor(s *check.S, namespace string) []metav1.OwnerReference {
	var refs []metav1.OwnerReference
	for i, name := range []string{"owner-a", "owner-b"} {
		cm, err := s.Clientset().CoreV1().ConfigMaps(namespace).Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		s.Setup(err, "create configmap "+name)
		isController := i == 0
		refs = append(refs, metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: cm.UID, Controller: &isController})
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
		s.Require(checkSameSet(got, want), fmt.Sprintf("%sthe index %s has pod %s under %q, want %q", after, name, pod.Name, got, want), secondCause(name, got, want))
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
		for name, labels := range map[string]map[string]string{
			"web-1": {"app": "web", "tier": "front"}, "web-2": {"app": "web"}, "plain": nil, "stuck": {"app": "web"}, "behind": {"app": "web"},
		} {
			s.Setup(indexer.Add(s.CreatePod(ns, check.PendingPod(name, labels))), "put a pod into the cache")
		}

		checkRelabel(s, ns, "behind", "db")

		// The check is the informer: it brings a change into the cache a good
		// while after the server has it.
		const lag = 300 * time.Millisecond
		for _, tc := range []struct {
			name, app string
			want      map[string]string
		}{
			{"web-1", "db", map[string]string{"app": "db", "tier": "front"}},
			{"plain", "web", map[string]string{"app": "web"}},
			{"web-2", "web", map[string]string{"app": "web"}},  // it is there already
			{"behind", "web", map[string]string{"app": "web"}}, // so says the cache, which is old
		} {
			what := fmt.Sprintf("MoveToApp of pod %s to app %s ", tc.name, tc.app)
			m := &checkMeter{TypedIndexer: indexer}
			before := checkSnapshot(indexer)
			cached, _, err := indexer.GetByKey(ns + "/" + tc.name)
			s.Setup(err, "read the cache")
			var arrived atomic.Bool
			bring := func() error {
				// Somebody else's change comes first.
				time.AfterFunc(lag/3, func() {
					other := before[ns+"/"+tc.name].DeepCopy()
					other.ResourceVersion += "1"
					metav1.SetMetaDataAnnotation(&other.ObjectMeta, "example.com/note", "by somebody else")
					_ = indexer.Update(other) // a pod has a key
				})
				time.AfterFunc(lag, func() {
					// And somebody else's comes after, so that the cache skips a version.
					pod, err := s.Clientset().CoreV1().Pods(ns).Patch(s.Context(), tc.name, types.MergePatchType,
						[]byte(`{"metadata":{"annotations":{"example.com/note":"after"}}}`), metav1.PatchOptions{})
					if err != nil {
						return // the step's wait then ends with its context, and is reported
					}
					arrived.Store(true)
					_ = indexer.Update(pod) // a pod has a key
				})
				return nil
			}
			rec, cfg := s.Recorder()
			for _, verb := range []string{"patch", "update"} {
				rec.After(check.Match{Verb: verb, Resource: "pods", Name: tc.name}, 1, bring)
			}
			begin := time.Now()
			err = s.CallWithin(10*time.Second, func(ctx context.Context) error {
				return MoveToApp(ctx, checkClientset(s, cfg), m, ns, tc.name, tc.app)
			})
			early, took := !arrived.Load(), time.Since(begin).Milliseconds()+1
			s.Require(m.wrote.Load() == 0, what+"wrote to the indexer", "the cache belongs to the informer: change the pod on the server and wait; a write of yours is overwritten, and hides that you are early")
			s.Require(checkSamePod(cached.(*corev1.Pod), before[ns+"/"+tc.name]),
				fmt.Sprintf("%schanged the pod in the cache: its labels were %v and are %v", what, before[ns+"/"+tc.name].Labels, checkLabelsOf(cached.(*corev1.Pod))),
				"a pod of the cache is read-only: the index does not learn of a change that is made in place, and everybody else sees it")
			s.Require(err == nil, fmt.Sprintf("%sreturned an error: %v\n%s", what, err, rec.Trace()), moveCause(rec, err))
			pod, err := s.Clientset().CoreV1().Pods(ns).Get(s.Context(), tc.name, metav1.GetOptions{})
			s.Setup(err, "get pod "+tc.name)
			s.Require(maps.Equal(pod.Labels, tc.want), fmt.Sprintf("after %son the server, the pod has the labels %v, want %v\n%s", what, pod.Labels, tc.want, rec.Trace()),
				"set the label app on the server, whatever the cache says, which may be old, and leave the others as they are")
			// A pod that is of the app already is in the index before the change, so there is nothing to wait for.
			s.Require(!early || before[ns+"/"+tc.name].Labels["app"] == tc.app, what+"returned before the index had the pod under "+tc.app+"\n"+rec.Trace(),
				"the answer of the server is not yet the cache: ask the index until the key is there")
			reads := rec.Count(check.Match{Verb: "get"}) + rec.Count(check.Match{Verb: "list"}) + rec.Count(check.Match{Verb: "watch"})
			s.Require(reads <= 2, what+"read from the server again and again\n"+rec.Trace(), "wait on the index, which costs no request")
			s.Require(m.asked.Load() < 20*took, fmt.Sprintf("%sasked the index %d times in %d ms", what, m.asked.Load(), took), "the wait has no pause: wait.PollUntilContextCancel, or a ticker")
			checkEventually(s.Context(), arrived.Load) // the next case begins with a cache at rest
			checkEventually(s.Context(), func() bool {
				now, _, _ := indexer.GetByKey(ns + "/" + tc.name)
				return now.(*corev1.Pod).Labels["app"] == tc.app
			})
		}

		err := s.Call(func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			return MoveToApp(ctx, checkClientset(s, s.Config()), indexer, ns, "missing", "db")
		})
		s.Require(apierrors.IsNotFound(err), fmt.Sprintf("for a pod that does not exist, want an error that is NotFound, got %s", check.ErrorText(err)), "return the server's error, wrapped with %w")

		// The index never hears of the change.
		err = s.CallWithin(10*time.Second, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return MoveToApp(ctx, checkClientset(s, s.Config()), indexer, ns, "stuck", "db")
		})
		s.Require(err != nil, "ctx ended before the index had the pod under db, and MoveToApp returned no error", "the end of ctx is not the success of the wait")
		s.Require(errors.Is(err, context.DeadlineExceeded), fmt.Sprintf("ctx ended first; want an error that wraps context.DeadlineExceeded, got %v", err), "wrap ctx.Err() with %w")
	})
}

func checkSamePod(a, b *corev1.Pod) bool {
	return a.Name == b.Name && a.ResourceVersion == b.ResourceVersion && maps.Equal(a.Labels, b.Labels)
}

func moveCause(rec *check.Recorder, err error) string {
	writes := rec.Count(check.Match{Verb: "patch"}) + rec.Count(check.Match{Verb: "update"})
	switch {
	case writes == 0:
		return "no write reached the server: the label is changed there, and nowhere else"
	case errors.Is(err, context.DeadlineExceeded):
		return "the wait did not see the pod under its new app, though the index had it: the key is namespace/name, the value is the app, and the version may be a later one than yours"
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
	})
}

const checkStaleCause = "the answer was kept from an earlier call: ask the index each time"

// judgeCachedAnswers asks what the cache can answer, and counts what it costs.
func judgeCachedAnswers(s *check.S, front labels.Selector) {
	var pods []*corev1.Pod
	for _, ns := range []struct {
		name    string
		fillers int
	}{{"shop", 400}, {"bank", 100}} {
		for i := range ns.fillers {
			pods = append(pods, checkPod(ns.name, fmt.Sprintf("filler-%03d", i), map[string]string{"app": fmt.Sprintf("filler-%d", i%20), "tier": "back"}))
		}
		pods = append(pods,
			checkPod(ns.name, "web-2", map[string]string{"app": "web", "tier": "front"}),
			checkPod(ns.name, "web-1", map[string]string{"app": "web", "tier": "back"}),
			checkPod(ns.name, "db-1", map[string]string{"app": "db", "tier": "front"}),
			checkPod(ns.name, "plain", nil))
	}
	pods = append(pods, checkPod("shop", "web-3", map[string]string{"app": "web", "tier": "front"}),
		checkPod("bank-2", "web-1", map[string]string{"app": "web", "tier": "front"}))
	indexer := checkIndexer(checkIndexers(), pods...)
	rec, cfg := s.Recorder()
	client := checkClientset(s, cfg)
	inBank := 104

	for _, tc := range []struct {
		what   string
		q      Query
		want   []string
		budget int
		cause  string
	}{
		{"the pods of web", Query{App: "web"}, []string{"bank/web-1", "bank/web-2", "bank-2/web-1", "shop/web-1", "shop/web-2", "shop/web-3"}, 20, "an empty namespace means all, so NamespaceAppIndex has no such key: AppIndex is the index to ask"},
		{"the pods of web in shop", Query{App: "web", Namespace: "shop"}, []string{"shop/web-1", "shop/web-2", "shop/web-3"}, 20, "narrow down by namespace: the index NamespaceAppIndex, or a look at each pod that AppIndex gives"},
		{"the front pods of web in shop", Query{App: "web", Namespace: "shop", Selector: front}, []string{"shop/web-2", "shop/web-3"}, 20, "Selector narrows down what the index gives: selector.Matches(labels.Set(pod.Labels))"},
		{"the front pods of web", Query{App: "web", Selector: front}, []string{"bank/web-2", "bank-2/web-1", "shop/web-2", "shop/web-3"}, 20, "Selector narrows down what the index gives: selector.Matches(labels.Set(pod.Labels))"},
		{"the pods of an app that no pod has", Query{App: "nobody"}, nil, 20, "no pods is no error"},
		{"the front pods in bank", Query{Namespace: "bank", Selector: front}, []string{"bank/db-1", "bank/web-2"}, 3 * inBank, "a lister takes a namespace and a selector"},
		{"the front pods", Query{Selector: front}, []string{"bank/db-1", "bank/web-2", "bank-2/web-1", "shop/db-1", "shop/web-2", "shop/web-3"}, 3 * len(pods), "an empty namespace means all"},
		{"all pods in bank", Query{Namespace: "bank"}, checkKeysIn(pods, "bank"), 3 * inBank, "a nil Selector means that the labels may be anything: labels.Everything()"},
		{"all pods", Query{}, checkKeysIn(pods, ""), 3 * len(pods), "nothing in the query means all pods, also those without an app"},
	} {
		m := &checkMeter{TypedIndexer: indexer}
		before := checkSnapshot(indexer)
		sent := rec.Count(check.Match{})
		var got []*corev1.Pod
		err := s.Call(func(ctx context.Context) (err error) {
			got, err = FindPods(ctx, client, m, tc.q)
			return err
		})
		s.Require(err == nil, fmt.Sprintf("asked for %s, FindPods returned an error: %v", tc.what, err), "the indexes and the lister answer this without an error")
		s.Require(rec.Count(check.Match{}) == sent, fmt.Sprintf("asked for %s, FindPods made a request\n%s", tc.what, rec.Trace()), "only Fresh needs the server: the cache has the answer")
		requireUntouched(s, indexer, before)
		s.Require(m.wrote.Load() == 0, fmt.Sprintf("asked for %s, FindPods wrote to the indexer", tc.what), "the cache belongs to the informer")
		keys := checkKeysOf(got)
		s.Require(checkSameSet(keys, tc.want), fmt.Sprintf("asked for %s, FindPods gave %s, want %s", tc.what, checkSome(keys), checkSome(tc.want)), checkOrElse(tc.cause, "all that the query says must hold"))
		s.Require(slices.Equal(keys, checkInOrder(slices.Clone(tc.want)...)), fmt.Sprintf("asked for %s, FindPods gave the order %s, want %s", tc.what, checkSome(keys), checkSome(checkInOrder(slices.Clone(tc.want)...))),
			"neither an index nor a lister has an order: sort by namespace, then by name. The key as one text sorts otherwise, with bank-2/x before bank/x")
		s.Require(m.read.Load() <= int64(tc.budget),
			fmt.Sprintf("asked for %s, FindPods took %d pods and keys from the cache for an answer of %d; the cache has %d pods", tc.what, m.read.Load(), len(tc.want), len(pods)), checkCostCause(tc.q))
	}

	// The index follows its pods, and so must the answer.
	m := &checkMeter{TypedIndexer: indexer}
	for _, tc := range []struct {
		after string
		do    func() error
		want  []string
	}{
		{"", func() error { return nil }, []string{"bank/web-1", "bank/web-2", "bank-2/web-1", "shop/web-1", "shop/web-2", "shop/web-3"}},
		{"after pod shop/web-1 was relabelled from web to db, ", func() error {
			return indexer.Update(checkPod("shop", "web-1", map[string]string{AppLabel: "db", "tier": "back"}))
		}, []string{"bank/web-1", "bank/web-2", "bank-2/web-1", "shop/web-2", "shop/web-3"}},
		{"after pod bank/web-2 was deleted, ", func() error { return indexer.Delete(checkPod("bank", "web-2", nil)) }, []string{"bank/web-1", "bank-2/web-1", "shop/web-2", "shop/web-3"}},
	} {
		s.Setup(tc.do(), "change the cache")
		var got []*corev1.Pod
		err := s.Call(func(ctx context.Context) (err error) {
			got, err = FindPods(ctx, client, m, Query{App: "web"})
			return err
		})
		s.Require(err == nil && slices.Equal(checkKeysOf(got), tc.want), fmt.Sprintf("%sFindPods gave %v for web, and %s; want %v", tc.after, checkKeysOf(got), check.ErrorText(err), tc.want), checkStaleCause)
	}

	without := checkIndexer(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}, pods...)
	err := s.Call(func(ctx context.Context) error {
		_, err := FindPods(ctx, client, without, Query{App: "web"})
		return err
	})
	s.Require(err != nil, "the indexer has no index "+AppIndex+", and FindPods returned no error for a query with App", "the error of ByTypedIndex is dropped, so a missing index looks like an app without pods")
}

func checkCostCause(q Query) string {
	if q.App != "" {
		return "the index is there and is not used: a selector over a lister looks at every pod, ByTypedIndex at those of one app"
	}
	return "a lister for one namespace, Pods(namespace), uses the namespace index; one for all namespaces looks at every pod"
}

func checkKeysIn(pods []*corev1.Pod, namespace string) []string {
	var keys []string
	for _, pod := range pods {
		if namespace == "" || pod.Namespace == namespace {
			keys = append(keys, pod.Namespace+"/"+pod.Name)
		}
	}
	return keys
}

func checkSome(keys []string) string {
	const shown = 8
	if len(keys) <= shown {
		return fmt.Sprint(keys)
	}
	return fmt.Sprintf("%d pods, first %v", len(keys), keys[:shown])
}

func checkOrElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// judgeFreshAnswers asks what only the server knows: the cache at hand is old.
func judgeFreshAnswers(s *check.S, front labels.Selector) {
	ns, other := s.Namespace(), s.Namespace()
	app := "web-" + ns // nobody else has it, so that a list of all namespaces can be judged
	s.CreatePod(ns, check.PendingPod("web-2", map[string]string{"app": app, "tier": "front"}))
	s.CreatePod(ns, check.PendingPod("web-1", map[string]string{"app": app, "tier": "back"}))
	s.CreatePod(ns, check.PendingPod("db-1", map[string]string{"app": "db", "tier": "front"}))
	s.CreatePod(other, check.PendingPod("web-1", map[string]string{"app": app}))
	old := checkIndexer(checkIndexers(), checkPod(ns, "ghost", map[string]string{"app": app, "tier": "front"}))

	for _, tc := range []struct {
		what string
		q    Query
		want []string
	}{
		{"the pods of an app in a namespace", Query{Fresh: true, Namespace: ns, App: app}, []string{ns + "/web-1", ns + "/web-2"}},
		{"the front pods of an app in a namespace", Query{Fresh: true, Namespace: ns, App: app, Selector: front}, []string{ns + "/web-2"}},
		{"the pods of an app in all namespaces", Query{Fresh: true, App: app}, []string{ns + "/web-1", ns + "/web-2", other + "/web-1"}},
		{"the front pods in a namespace", Query{Fresh: true, Namespace: ns, Selector: front}, []string{ns + "/db-1", ns + "/web-2"}},
		{"all pods in a namespace", Query{Fresh: true, Namespace: ns}, []string{ns + "/db-1", ns + "/web-1", ns + "/web-2"}},
	} {
		rec, cfg := s.Recorder()
		var got []*corev1.Pod
		err := s.Call(func(ctx context.Context) (err error) {
			got, err = FindPods(ctx, checkClientset(s, cfg), old, tc.q)
			return err
		})
		s.Require(err == nil, fmt.Sprintf("asked freshly for %s, FindPods returned an error: %v\n%s", tc.what, err, rec.Trace()), check.CauseOf(err))
		keys := checkKeysOf(got)
		s.Require(!slices.Contains(keys, ns+"/ghost"), fmt.Sprintf("asked freshly for %s, FindPods gave pod ghost, which is only in the cache\n%s", tc.what, rec.Trace()),
			"Fresh comes first: a cache is always a little behind, so the server is asked")
		s.Require(checkSameSet(keys, tc.want), fmt.Sprintf("asked freshly for %s, FindPods gave %s, want %s\n%s", tc.what, checkSome(keys), tc.want, rec.Trace()),
			"App and Selector both go into labelSelector, and Namespace into the path")
		s.Require(slices.Equal(keys, checkInOrder(slices.Clone(tc.want)...)), fmt.Sprintf("asked freshly for %s, FindPods gave the order %s\n%s", tc.what, checkSome(keys), rec.Trace()), "sort by namespace, then by name")
		sent := rec.Requests(check.Match{})
		s.Require(len(sent) == 1 && sent[0].Verb == "list" && sent[0].Resource == "pods",
			fmt.Sprintf("asked freshly for %s, FindPods made %d requests, want one list\n%s", tc.what, len(sent), rec.Trace()), "one list request brings the whole answer")
		s.Require(sent[0].Namespace == tc.q.Namespace, fmt.Sprintf("asked freshly for %s, FindPods listed namespace %q, want %q\n%s", tc.what, sent[0].Namespace, tc.q.Namespace, rec.Trace()),
			"the server lists one namespace when it is named in the path; do not let it send all")
		s.Require(sent[0].Query.Get("resourceVersion") == "", fmt.Sprintf("asked freshly for %s, FindPods sent resourceVersion=%s\n%s", tc.what, sent[0].Query.Get("resourceVersion"), rec.Trace()),
			"with a resourceVersion, 0 in particular, the server may answer with an older state")
		s.Require(sent[0].Query.Get("limit") == "", fmt.Sprintf("asked freshly for %s, FindPods sent limit=%s\n%s", tc.what, sent[0].Query.Get("limit"), rec.Trace()),
			"a limit cuts a long answer, and one request is all there is: set none")
		s.Require(strings.Contains(sent[0].Query.Get("labelSelector"), tc.q.App), fmt.Sprintf("asked freshly for %s, the request does not name the app in labelSelector\n%s", tc.what, rec.Trace()),
			"the pods are filtered after they came: let the server do it, with labelSelector")
		s.Require(tc.q.Selector == nil || strings.Contains(sent[0].Query.Get("labelSelector"), "tier"), fmt.Sprintf("asked freshly for %s, the request does not hold the Selector\n%s", tc.what, rec.Trace()),
			"the pods are filtered after they came: let the server do it, with labelSelector")
	}

	rec, cfg := s.Recorder()
	rec.Answer(check.Match{Verb: "list"}, 0, check.Always, http.StatusInternalServerError, metav1.StatusReasonInternalError, "injected by the check")
	err := s.Call(func(ctx context.Context) error {
		_, err := FindPods(ctx, checkClientset(s, cfg), old, Query{Fresh: true, Namespace: ns, App: app})
		return err
	})
	s.Require(apierrors.IsInternalError(err), fmt.Sprintf("the server answered 500; want an error that wraps its status, got %s\n%s", check.ErrorText(err), rec.Trace()),
		"do not fall back to the cache, and do not drop the error: wrap it with %w")

	for _, q := range []Query{{Fresh: true, Namespace: ns, Selector: labels.Nothing()}, {Fresh: true, Namespace: ns, App: app, Selector: labels.Nothing()}} {
		rec, cfg := s.Recorder()
		var got []*corev1.Pod
		err := s.Call(func(ctx context.Context) (err error) {
			got, err = FindPods(ctx, checkClientset(s, cfg), old, q)
			return err
		})
		s.Require(err == nil && len(got) == 0, fmt.Sprintf("asked freshly for pods of app %q that match labels.Nothing(), FindPods gave %s and %s\n%s", q.App, checkSome(checkKeysOf(got)), check.ErrorText(err), rec.Trace()),
			"a Selector that matches nothing is empty as text, and to the server an empty one matches all: labels.MatchesNothing tells")
	}
}
