package check

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Wait is one call of a step that waits for an object, and what the check does meanwhile.
type Wait[T any] struct {
	S   *S
	Rec *Recorder
	// Got is what the step has returned beside its error.
	Got T
	// AnyContext says that the requests need not bear the context of the call.
	AnyContext bool

	describe func(T) string
	step     func(ctx context.Context) (T, error)
	caller   *caller
	returned atomic.Bool
}

// NewWait prepares a call of step. describe puts what it returns into words.
func NewWait[T any](s *S, describe func(T) string, step func(ctx context.Context, cfg *rest.Config) (T, error)) *Wait[T] {
	rec, cfg := s.Recorder()
	w := &Wait[T]{S: s, Rec: rec, describe: describe, caller: watchCaller(cfg)}
	w.step = func(ctx context.Context) (T, error) { return step(w.caller.mark(ctx), cfg) }
	return w
}

// Call calls the step, and meanwhile the other function, if any. Both contexts
// end within limit.
func (w *Wait[T]) Call(limit time.Duration, meanwhile func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(w.S.ctx, limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		var err error
		if meanwhile != nil {
			err = meanwhile(ctx)
		}
		done <- err
	}()
	err := w.S.CallWithin(limit, func(ctx context.Context) (err error) {
		defer w.returned.Store(true)
		w.Got, err = w.step(ctx)
		return err
	})
	w.S.Setup(<-done, "bring the object into the state that the check needs")
	if !w.AnyContext {
		w.caller.judge(w.S)
	}
	return err
}

// CallFor calls the step with a context that ends after d.
func (w *Wait[T]) CallFor(d time.Duration) error {
	return w.S.CallWithin(10*time.Second, func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		w.Got, err = w.step(ctx)
		return err
	})
}

// Ended says how the step ended, and what it sent.
func (w *Wait[T]) Ended(err error) string {
	return w.Rec.Saw("%s returned %s and %s", w.S.name, w.describe(w.Got), ErrorText(err))
}

// Returned tells whether the step has returned.
func (w *Wait[T]) Returned() bool { return w.returned.Load() }

// Pause waits until the step has returned, or enough has been seen, or by has
// passed. A nil enough is never true.
func (w *Wait[T]) Pause(ctx context.Context, by time.Duration, enough func() bool) {
	for end := time.Now().Add(by); time.Now().Before(end) && !w.Returned() && (enough == nil || !enough()); {
		select {
		case <-ctx.Done():
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Watches returns the watches that the step has asked for.
func (w *Wait[T]) Watches() []Request { return w.Rec.Requests(Match{Verb: "watch"}) }

// Watching tells whether the step has opened a watch.
func (w *Wait[T]) Watching() bool {
	return slices.ContainsFunc(w.Watches(), func(req Request) bool { return req.Status == http.StatusOK })
}

// Floods tells whether the step asks again without a pause while each watch ends
// at once. A loop without a pause gets more time where the machine is busy.
func (w *Wait[T]) Floods(ctx context.Context) bool {
	flood := func(least int) bool {
		all := w.Rec.Count(Match{})
		return w.Rec.UnpausedAfter(Match{Verb: "watch"}) >= least || all >= 3*least && w.Rec.Unpaused()*4 > all*3
	}
	if flood(3) {
		w.Pause(ctx, 6*time.Second, func() bool { return flood(15) })
	}
	return flood(15)
}

// JudgeFlood fails for a step that floods.
func (w *Wait[T]) JudgeFlood(floods bool) {
	w.Rec.Requiref(!floods, "a server that is in trouble gets a flood of requests on top: pause before you look again",
		"every watch ended at once, and %d requests followed the answer before them without a pause", w.Rec.Unpaused())
}

// JudgeTimeout ends ctx after d, while what says holds, and wants its error. what
// the step waits for is called awaited.
func (w *Wait[T]) JudgeTimeout(d time.Duration, what, awaited string) {
	err := w.CallFor(d)
	w.S.Require(err != nil, "ctx ended while "+what+", and "+w.Ended(err),
		"the end of ctx closes the watch, and is not the end of the "+awaited)
	w.S.Requiref(errors.Is(err, context.DeadlineExceeded), "wrap the context's error with %w",
		"ctx ended while %s, and errors.Is(err, context.DeadlineExceeded) is false: %v", what, err)
}

// JudgeCompaction has the server forget its history at the first watch that m
// matches, wants the step to watch from a newer resourceVersion, and calls finish
// then, which ends the wait. It returns the step's error.
func (w *Wait[T]) JudgeCompaction(ns string, m Match, finish func(ctx context.Context) error) error {
	const gone = "a watch was answered with an event of the type Error that holds a *metav1.Status, 410 Gone, and "
	var oldest atomic.Uint64
	w.Rec.CompactAtFirstWatch(m, func() (string, error) {
		version, err := w.S.write(ns)
		if err != nil {
			return "", err
		}
		n, err := strconv.ParseUint(version, 10, 64)
		oldest.Store(n)
		return version, err
	})
	healthy := func() bool {
		return slices.ContainsFunc(w.Watches(), func(req Request) bool { return sinceCompaction(req, oldest.Load()) })
	}
	var recovered, early atomic.Bool
	err := w.Call(12*time.Second, func(ctx context.Context) error {
		w.Pause(ctx, 5*time.Second, healthy)
		recovered.Store(healthy())
		early.Store(w.Returned())
		return finish(ctx)
	})
	w.S.Require(!early.Load(), gone+w.Ended(err),
		"410 Gone says that the server has forgotten the resourceVersion from which you watch, and no more: "+
			"look again, and watch from the list's")
	w.Rec.Requiref(recovered.Load(),
		"the same old resourceVersion is refused again and again. A new GET of an object that has not changed brings the same one: "+
			"take the resourceVersion of a fresh list",
		gone+"no watch from a newer resourceVersion was opened in five seconds")
	return err
}

// sinceCompaction tells whether a watch begins at a version that the server still
// has; oldest is 0 before the compaction.
func sinceCompaction(watch Request, oldest uint64) bool {
	from, _ := strconv.ParseUint(watch.Query.Get("resourceVersion"), 10, 64)
	return from == 0 || oldest > 0 && from >= oldest
}

// write writes an object of no importance and returns its resourceVersion.
func (s *S) write(ns string) (string, error) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "compaction-"}}
	cm, err := s.Clientset().CoreV1().ConfigMaps(ns).Create(s.ctx, cm, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("write a ConfigMap: %w", err)
	}
	return cm.ResourceVersion, nil
}
