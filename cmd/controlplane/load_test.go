package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// TestManyPods rolls out as many pods as CONTROLPLANE_PODS says and shows what
// that took: CONTROLPLANE_PODS=10000 ./go.sh test -run ManyPods -v .
func TestManyPods(t *testing.T) {
	wanted := os.Getenv("CONTROLPLANE_PODS")
	if wanted == "" {
		t.Skip("a measurement of some minutes: set CONTROLPLANE_PODS, for example to 10000, to take it")
	}
	count, err := strconv.ParseInt(wanted, 10, 32)
	if err != nil {
		t.Fatalf("CONTROLPLANE_PODS is %q, want a number of pods", wanted)
	}
	dir := t.TempDir()
	p := &process{dir: dir, kubeconfig: filepath.Join(dir, "kubeconfig"), binary: binary(t)}
	p.start(t)
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	_, client := p.client(t)
	deployments := client.AppsV1().Deployments(workshopNamespace)
	timed := func(what string, holds func(context.Context) (bool, error)) {
		t.Helper()
		begin, cpu := time.Now(), cpuSeconds(t, p.cmd.Process.Pid)
		if err := wait.PollUntilContextTimeout(t.Context(), 200*time.Millisecond, 20*time.Minute, true, holds); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		t.Logf("%s: %.1f s, %.1f CPU s, %d MiB resident", what, time.Since(begin).Seconds(),
			cpuSeconds(t, p.cmd.Process.Pid)-cpu, residentMiB(t, p.cmd.Process.Pid))
	}

	if _, err := deployments.Create(t.Context(), deploymentOf("many", int32(count)), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	timed(fmt.Sprintf("%d pods running", count), func(ctx context.Context) (bool, error) {
		d, err := deployments.Get(ctx, "many", metav1.GetOptions{})
		return err == nil && int64(d.Status.AvailableReplicas) == count, err
	})
	foreground := metav1.DeletePropagationForeground
	if err := deployments.Delete(t.Context(), "many", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
		t.Fatal(err)
	}
	timed(fmt.Sprintf("%d pods gone", count), func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(workshopNamespace).List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil && len(pods.Items) == 0, err
	})
}

// cpuSeconds is the processor time that a process has used, as Linux counts it.
func cpuSeconds(t *testing.T, pid int) float64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skipf("this measures with /proc, which only Linux has: %v", err)
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	sum := 0.0
	for _, field := range fields[11:13] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += ticks / 100
	}
	return sum
}

// residentMiB is what a process keeps in memory.
func residentMiB(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("this measures with /proc, which only Linux has: %v", err)
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); fields[0] == "VmRSS:" {
			kib, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			return kib / 1024
		}
	}
	t.Fatal("no VmRSS")
	return 0
}
