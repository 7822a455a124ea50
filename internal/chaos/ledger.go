package chaos

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ledger is what the writers know of the Ingresses: those that are not the
// controller's, and what they have added to its own. One writer at a time works
// on the Ingresses of a name, so that what it notes is what is there.
type ledger struct {
	mu sync.Mutex
	// locks has one lock a name.
	locks map[string]*sync.Mutex
	// foreign is what the server answered to the last write.
	foreign map[string]*networkingv1.Ingress
	// made are all that were ever foreign.
	made map[types.UID]bool
	// marks are the last additions to an owned Ingress.
	marks map[string]*networkingv1.Ingress
}

func newLedger() *ledger {
	return &ledger{
		locks:   map[string]*sync.Mutex{},
		foreign: map[string]*networkingv1.Ingress{},
		made:    map[types.UID]bool{},
		marks:   map[string]*networkingv1.Ingress{},
	}
}

// lock takes the Ingresses of a name.
func (l *ledger) lock(name string) (unlock func()) {
	l.mu.Lock()
	lock := l.locks[name]
	if lock == nil {
		lock = &sync.Mutex{}
		l.locks[name] = lock
	}
	l.mu.Unlock()
	lock.Lock()
	return lock.Unlock
}

func (l *ledger) foreignNow(name string) *networkingv1.Ingress {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.foreign[name]
}

func (l *ledger) noteForeign(ing *networkingv1.Ingress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.foreign[ing.Name], l.made[ing.UID] = ing, true
	delete(l.marks, ing.Name)
}

// forget is for an Ingress that a writer has deleted.
func (l *ledger) forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.foreign, name)
	delete(l.marks, name)
}

// noteMark keeps what the marked Ingress has of other writers.
func (l *ledger) noteMark(ing *networkingv1.Ingress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.marks[ing.Name] = ing
}

func (l *ledger) marksNow(name string) *networkingv1.Ingress {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.marks[name]
}

// knows says that a writer made the Ingress, or took it from the controller.
func (l *ledger) knows(uid types.UID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.made[uid]
}

// differences are what became of the writers' own things.
func (l *ledger) differences(now world) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, name := range slices.Sorted(maps.Keys(l.foreign)) {
		out = append(out, touched(l.foreign[name], now.ingresses[name])...)
	}
	for _, name := range slices.Sorted(maps.Keys(l.marks)) {
		out = append(out, lost(l.marks[name], now.ingresses[name])...)
	}
	return out
}

// touched says how a foreign Ingress differs from what its writer left.
func touched(left, is *networkingv1.Ingress) []string {
	switch {
	case is == nil:
		return []string{fmt.Sprintf("foreign ingress %s: it is gone", left.Name)}
	case is.UID != left.UID:
		return []string{fmt.Sprintf("foreign ingress %s: another one is in its place, with the controller %v", left.Name,
			metav1.GetControllerOf(is))}
	case is.ResourceVersion != left.ResourceVersion:
		return []string{fmt.Sprintf("foreign ingress %s: somebody wrote to it, resourceVersion %s became %s; last in managedFields: %s",
			left.Name, left.ResourceVersion, is.ResourceVersion, lastManager(is))}
	}
	return nil
}

func lastManager(ing *networkingv1.Ingress) string {
	var last metav1.ManagedFieldsEntry
	for _, entry := range ing.ManagedFields {
		if last.Time == nil || entry.Time != nil && !entry.Time.Before(last.Time) {
			last = entry
		}
	}
	return last.Manager
}

// lost says what an owned Ingress has lost of other writers' things. That of the
// Service steady must be the very same, since it was wanted all the time.
func lost(left, is *networkingv1.Ingress) []string {
	if is == nil || is.UID != left.UID {
		if left.Name != steady {
			return nil
		}
		return []string{fmt.Sprintf("ingress %s: the one with other writers' labels (uid %s) was deleted, though its service wanted it all "+
			"the time", left.Name, left.UID)}
	}
	var out []string
	for key, value := range left.Labels {
		if is.Labels[key] != value {
			out = append(out, fmt.Sprintf("ingress %s: another writer's label %s=%s is %q", left.Name, key, value, is.Labels[key]))
		}
	}
	for key, value := range left.Annotations {
		if is.Annotations[key] != value {
			out = append(out, fmt.Sprintf("ingress %s: another writer's annotation %s=%s is %q", left.Name, key, value, is.Annotations[key]))
		}
	}
	if left.Spec.TLS != nil && !reflect.DeepEqual(left.Spec.TLS, is.Spec.TLS) {
		out = append(out, fmt.Sprintf("ingress %s: another writer's spec.tls %v is %v", left.Name, left.Spec.TLS, is.Spec.TLS))
	}
	return out
}
