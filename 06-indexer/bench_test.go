package main

import (
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/todo"
)

// The benchmarks measure your functions on pods in memory; no cluster is needed:
//
//	go test -run XXX -bench . ./06-indexer

var cacheSizes = []int{1_000, 10_000, 100_000}

// needStep skips a benchmark whose step is not written.
func needStep(b *testing.B, step int, name string, err error) {
	b.Helper()
	if todo.Is(err) {
		b.Skipf("step %d, %s, is not written yet: go tool workshop check 06.%d", step, name, step)
	}
	if err != nil {
		b.Fatalf("step %d, %s: %v", step, name, err)
	}
}

// BenchmarkFindPods asks step 8 for the ten pods of one app in two ways: App,
// which an index answers, and Selector, which a lister answers.
func BenchmarkFindPods(b *testing.B) {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://localhost:1"}) // never asked
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []struct {
		name string
		q    Query
	}{
		{"selector", Query{Selector: labels.SelectorFromSet(labels.Set{AppLabel: "app-7"})}},
		{"index", Query{App: "app-7"}},
	} {
		for _, size := range cacheSizes {
			b.Run(fmt.Sprintf("%s/pods=%d", way.name, size), func(b *testing.B) {
				indexer := checkIndexer(checkIndexers(), checkManyPods(size)...)
				found, err := FindPods(b.Context(), client, indexer, way.q)
				needStep(b, 8, "FindPods", err)
				if len(found) != 10 {
					b.Fatalf("FindPods gave %d pods of app-7, want 10", len(found))
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := FindPods(b.Context(), client, indexer, way.q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkIndexMemory adds an index to a full cache and reports the memory that
// it takes for each object. The index valueEach has a value for every pod, as an
// index by name or UID would.
func BenchmarkIndexMemory(b *testing.B) {
	pod := checkPod("shop", "web-1", "app=web")
	for _, index := range []struct {
		name string
		need func(b *testing.B)
		add  func(informer coreinformers.PodIndexInformer) error
	}{
		{cache.NamespaceIndex, func(*testing.B) {}, func(informer coreinformers.PodIndexInformer) error {
			return informer.AddIndexers(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
		}},
		{"valueEach", func(*testing.B) {}, func(informer coreinformers.PodIndexInformer) error {
			return informer.AddTypedIndexers(coreinformers.PodIndexers{"valueEach": func(pod *corev1.Pod) ([]string, error) {
				return []string{pod.Name}, nil
			}})
		}},
		{AppIndex, func(b *testing.B) {
			_, err := AppIndexFunc(pod)
			needStep(b, 1, "AppIndexFunc", err)
		}, func(informer coreinformers.PodIndexInformer) error {
			return informer.AddIndexers(cache.Indexers{AppIndex: AppIndexFunc})
		}},
		{NamespaceAppIndex, func(b *testing.B) {
			_, err := NamespaceAppIndexFunc(pod)
			needStep(b, 5, "NamespaceAppIndexFunc", err)
		}, func(informer coreinformers.PodIndexInformer) error {
			return informer.AddTypedIndexers(coreinformers.PodIndexers{NamespaceAppIndex: NamespaceAppIndexFunc})
		}},
		{"second", func(b *testing.B) {
			_, err := AddSecondIndex(checkInformer(nil))
			needStep(b, 6, "AddSecondIndex", err)
		}, func(informer coreinformers.PodIndexInformer) error {
			_, err := AddSecondIndex(informer)
			return err
		}},
	} {
		for _, size := range cacheSizes {
			b.Run(fmt.Sprintf("%s/pods=%d", index.name, size), func(b *testing.B) {
				index.need(b)
				pods := checkManyPods(size)
				var bytes float64
				rounds := 0
				for b.Loop() {
					bytes += heapOf(b, pods, index.add)
					rounds++
				}
				b.ReportMetric(bytes/float64(rounds)/float64(size), "B/object")
				b.ReportMetric(0, "ns/op") // most of it is the filling of the cache
			})
		}
	}
}

// heapOf is the growth of the heap by one index over these pods.
func heapOf(b *testing.B, pods []*corev1.Pod, add func(coreinformers.PodIndexInformer) error) float64 {
	informer := checkInformer(nil, pods...)
	before := liveHeap()
	if err := add(informer); err != nil {
		b.Fatal(err)
	}
	after := liveHeap()
	runtime.KeepAlive(informer)
	return float64(after) - float64(before)
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC() // what the first one swept late is gone now
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
