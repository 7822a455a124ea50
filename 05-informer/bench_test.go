package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	require.NoError(b, forEach(n, func(i int) error { return reportStatus(b.Context(), client, ns, fmt.Sprintf("web-%05d", i)) }))

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
				factory.StartWithContext(ctx)
				require.NoError(b, factory.WaitForCacheSyncWithContext(ctx).AsError())
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

// reportStatus writes what a kubelet writes for a pod that runs, so that its
// managedFields are those of a real pod.
func reportStatus(ctx context.Context, client kubernetes.Interface, ns, name string) error {
	pods := client.CoreV1().Pods(ns)
	pod, err := pods.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	now := metav1.Now()
	pod.Status.StartTime = &now
	pod.Status.HostIP, pod.Status.HostIPs = "10.0.0.1", []corev1.HostIP{{IP: "10.0.0.1"}}
	pod.Status.PodIP, pod.Status.PodIPs = "10.1.0.1", []corev1.PodIP{{IP: "10.1.0.1"}}
	for _, condition := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized, corev1.PodReady,
		corev1.ContainersReady} {
		pod.Status.Conditions = append(pod.Status.Conditions,
			corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "web", Ready: true, Started: new(true), Image: "registry.k8s.io/pause:3.10",
		ImageID:     "sha256:7c38f24774e3cbd906d2d33c38354ccf787635581c122965132c9bd309754d4a",
		ContainerID: "containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
	}}
	_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{FieldManager: "kubelet"})
	return err
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
