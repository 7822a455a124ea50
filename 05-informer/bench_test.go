package main

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"example.com/client-go-workshop/internal/cluster"
)

// BenchmarkHeap measures what a pod in the cache costs, without and with the
// transform of step 1, on the same pods:
//
//	WORKSHOP_LONG=1 go test -run '^$' -bench Heap -benchtime 1x ./05-informer
func BenchmarkHeap(b *testing.B) {
	if os.Getenv("WORKSHOP_LONG") == "" {
		b.Skip("set WORKSHOP_LONG=1: this creates 10,000 pods (WORKSHOP_PODS changes the number)")
	}
	before := runtime.MemProfileRate
	runtime.MemProfileRate = 1 // every allocation
	b.Cleanup(func() { runtime.MemProfileRate = before })
	cfg, err := cluster.Config(b.Context())
	require.NoError(b, err)
	cfg.QPS = -1
	client, err := kubernetes.NewForConfig(cfg)
	require.NoError(b, err)
	n := manyPods(b)
	ns := longNamespace(b, client, n)

	for _, bc := range []struct {
		name string
		make func() (informers.SharedInformerFactory, error)
	}{
		{"without", func() (informers.SharedInformerFactory, error) {
			return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(ns)), nil
		}},
		{"with", func() (informers.SharedInformerFactory, error) { return NewFactory(client, ns, 0) }},
	} {
		b.Run(bc.name, func(b *testing.B) {
			for range b.N {
				heap, profile := inUse()
				ctx, stop := context.WithTimeout(b.Context(), 5*time.Minute)
				factory, err := bc.make()
				require.NoError(b, err)
				store := factory.Core().V1().Pods().Informer().GetStore()
				begin := time.Now()
				factory.StartWithContext(ctx)
				require.NoError(b, factory.WaitForCacheSyncWithContext(ctx).AsError())
				b.ReportMetric(time.Since(begin).Seconds(), "s/sync")
				require.Len(b, store.ListKeys(), n)
				heapNow, profileNow := inUse()
				b.ReportMetric(float64(heapNow-heap)/float64(n), "B/pod")
				b.ReportMetric(float64(profileNow-profile)/float64(n), "profile-B/pod")
				stop()
				factory.Shutdown()
				runtime.KeepAlive(store)
			}
		})
	}
}

// inUse is the heap in use, as the runtime counts it and as the heap profile does.
func inUse() (heap, profile int64) {
	for range 3 { // the profile is that of the collection before
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	n, _ := runtime.MemProfile(nil, false)
	for {
		records := make([]runtime.MemProfileRecord, n+100)
		var ok bool
		if n, ok = runtime.MemProfile(records, false); !ok {
			continue
		}
		for _, record := range records[:n] {
			profile += record.InUseBytes()
		}
		return int64(stats.HeapAlloc), profile
	}
}
