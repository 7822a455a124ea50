package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// podStatus is a pod's phase, or Terminating when its deletion has begun.
func podStatus(pod *corev1.Pod) string {
	switch {
	case pod.DeletionTimestamp != nil:
		return "Terminating"
	case pod.Status.Phase == "":
		return "Unknown"
	}
	return string(pod.Status.Phase)
}

// row is one pod in the table.
type row struct {
	key          cache.ObjectName
	status, node string
}

func (r row) String() string {
	return fmt.Sprintf("%-28s %-12s %s", r.key.Name, r.status, r.node)
}

// table has a row for each pod and prints each row that changes.
type table struct {
	lister corelisters.PodLister
	out    *output

	mu   sync.Mutex
	rows map[cache.ObjectName]row
}

func newTable(lister corelisters.PodLister, out *output) *table {
	return &table{lister: lister, out: out, rows: map[cache.ObjectName]row{}}
}

// refresh brings the row of one pod up to date with the cache.
func (t *table) refresh(_ context.Context, key cache.ObjectName) error {
	pod, err := t.lister.Pods(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		t.remove(key)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read pod %s from the cache: %w", key, err)
	}
	t.set(row{key: key, status: podStatus(pod), node: pod.Spec.NodeName})
	return nil
}

func (t *table) set(r row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows[r.key] != r {
		t.rows[r.key] = r
		t.out.line("   pod    %s", r)
	}
}

func (t *table) remove(key cache.ObjectName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.rows[key]; known {
		delete(t.rows, key)
		t.out.line("   pod    %s", row{key: key, status: "gone"})
	}
}

// print writes the whole table.
func (t *table) print() {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := make([]row, 0, len(t.rows))
	for _, r := range t.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.key.Name, b.key.Name) })
	t.out.line("table: %d pods", len(rows))
	for _, r := range rows {
		t.out.line("  %s", r)
	}
}
