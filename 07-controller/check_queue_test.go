package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/check"
)

func TestStep9_handleErr(t *testing.T) {
	check.Step(t, 9, "handleErr", func(s *check.S) {
		judgeForget(s)
		judgeRequeue(s)
		judgeGiveUp(s)
		judgeStopping(s)
	})
}

func TestStep10_processNextWorkItem(t *testing.T) {
	check.Step(t, 10, "processNextWorkItem", func(s *check.S) {
		judgeOneKey(s)
		judgeFailedKey(s)
		judgeShutDown(s)
	})
}

func TestStep11_Run(t *testing.T) {
	check.Step(t, 11, "Run", func(s *check.S) {
		judgeNoWorkers(s)
		judgeUnsynced(s)
		judgeWorkers(s)
		judgeIdleEnd(s)
		judgeBusyEnd(s)
	})
}

// machine is a controller whose sync is the check's.
type machine struct {
	s        *check.S
	c        *Controller
	queue    *recordedQueue
	events   *events
	services cache.Indexer
	syncs    atomic.Int64
	// inside counts the syncs that run, most is the highest count.
	inside, most atomic.Int64
}

func newMachine(s *check.S, sync func(ctx context.Context, key cache.ObjectName) error) *machine {
	m := &machine{s: s, queue: newQueueOf(s, false), events: &events{}, services: newIndexer()}
	m.c = &Controller{queue: m.queue, recorder: m.events, serviceLister: corelisters.NewServiceLister(m.services),
		options: Options{MaxRetry: 3}}
	m.c.syncHandler = func(ctx context.Context, key cache.ObjectName) error {
		m.syncs.Add(1)
		n := m.inside.Add(1)
		defer m.inside.Add(-1)
		for most := m.most.Load(); n > most && !m.most.CompareAndSwap(most, n); most = m.most.Load() {
		}
		return sync(ctx, key)
	}
	return m
}

var (
	machineKey = cache.ObjectName{Namespace: "shop", Name: "web"}
	otherKey   = cache.ObjectName{Namespace: "shop", Name: "other"}
	errSync    = errors.New("the check's sync says no")
)

func fine(context.Context, cache.ObjectName) error { return nil }

// handle takes the key out of the queue, as a worker has when it calls handleErr,
// calls the step with err, and gives the key back. It returns how often the step
// put the key into the queue again.
func (m *machine) handle(ctx context.Context, err error) int {
	m.queue.TypedRateLimitingInterface.Add(machineKey)
	key, _ := m.queue.Get()
	m.queue.clear()
	m.s.Must(func(context.Context) error { m.c.handleErr(ctx, err, key); return nil })
	m.queue.Done(key)
	again := len(m.queue.added())
	if again > 0 {
		m.s.Require(m.s.Eventually(func() bool { return m.queue.Len() > 0 }), "a key whose sync failed did not come back",
			"it was put into the queue again for much later, or when the queue still had it")
		key, _ = m.queue.Get()
		m.queue.Done(key)
	}
	return again
}

// fail calls the step with an error or none.
func (m *machine) fail(err error) (again int) { return m.handle(m.s.Context(), err) }

func judgeForget(s *check.S) {
	m := newMachine(s, fine)
	// More failures in all than MaxRetry, but never in a row.
	for range 3 {
		for range 2 {
			s.Require(m.fail(errSync) > 0, "after failures that were mended, a key failed again twice and did not come back",
				"the failures of a key count since its last success; and an error that is only logged is a lost Ingress")
		}
		s.Require(m.fail(nil) == 0, "after a sync without a fault, the key came back", "a key that is done comes back with the next event: one "+
			"that comes back by itself comes back without an end")
		s.Require(len(m.queue.seen("Forget")) > 0, "after a sync without a fault, Forget was not called", "the failures of a key are counted "+
			"until Forget; a key that is never forgotten waits ever longer, and is given up for failures that it had last month")
		n := m.queue.NumRequeues(machineKey)
		s.Requiref(n == 0, "Forget on success: else the next failure waits as if it were one of a long row, and the key is given up too early",
			"after a success the queue still counts %d failures of the key", n)
	}
	s.Require(len(m.events.take()) == 0, "a failure that was mended by a retry, or none at all, made an Event", "only giving up makes one")
}

func judgeRequeue(s *check.S) {
	notFound := apierrors.NewNotFound(corev1.Resource("namespaces"), "shop")
	for _, failure := range []error{errSync, context.DeadlineExceeded, context.Canceled, notFound} {
		m := newMachine(s, fine)
		s.Setup(m.services.Add(newService("shop", "web", nil)), "fill the cache")
		again := m.fail(fmt.Errorf("sync service %s: %w", machineKey, failure))
		s.Requiref(again == 1, "a key whose sync fails comes back by itself, once, AddRateLimited: an error that is only logged is a lost "+
			"Ingress. Whether we are stopping, ctx.Err() knows and the error does not: one request may have had a deadline of its own. And what "+
			"was not found need not be the Service", "a sync failed with %q while ctx had not ended, and the key came back %d times, want 1",
			failure, again)
		s.Requiref(m.queue.NumRequeues(machineKey) == 1, "AddRateLimited counts the failures of a key and waits longer after each: what comes "+
			"back at once comes back without an end", "after one failure, the queue counts %d of the key, want 1", m.queue.NumRequeues(machineKey))
		s.Require(len(m.events.take()) == 0, "a failure that is tried again made an Event", "only giving up makes one")
	}
}

func judgeGiveUp(s *check.S) {
	for _, known := range []bool{true, false} {
		for _, limit := range []int{3, 0} {
			m := newMachine(s, fine)
			m.c.options.MaxRetry = limit
			service := newService("shop", "web", nil)
			if known {
				s.Setup(m.services.Add(service), "fill the cache")
			}
			m.requireGivenUp(limit)
			warned := warningsOf(m.events.take())
			if known {
				s.Requiref(len(warned) == 1 && warned[0].uid == service.UID, "nobody reads the log of a controller: tell those who look at the "+
					"Service, c.warn", "after giving up, want one Warning Event on the Service, got %s", describeEvents(warned))
				s.Requiref(strings.Contains(warned[0].message, errSync.Error()), "the error's text belongs in the message",
					"the Warning after giving up says %s, and not what went wrong", describeEvents(warned))
			}
			s.Require(known || len(warned) == 0, "a Service that is gone got "+describeEvents(warned), "there is nobody to tell when the lister "+
				"has no such Service")
			m.requireGivenUp(limit)
		}
	}
}

// requireGivenUp fails until the key does not come back any more.
func (m *machine) requireGivenUp(limit int) {
	s, tries := m.s, 1
	for m.fail(errSync) > 0 {
		s.Require(tries < 50, "a key that fails comes back without an end", "after options.MaxRetry retries the key is given up")
		tries++
	}
	s.Requiref(tries == limit+1, "the first try and options.MaxRetry retries, NumRequeues counts them; then the key is given up, and begins "+
		"anew with the next event", "a sync that always fails, with MaxRetry %d, was called %d times, want %d", limit, tries, limit+1)
	n := m.queue.NumRequeues(machineKey)
	s.Requiref(n == 0, "Forget it when you give up: the next change of the Service begins anew", "after giving up, the queue still counts "+
		"%d failures of the key", n)
}

func judgeStopping(s *check.S) {
	m := newMachine(s, fine)
	m.c.options.MaxRetry = 0
	s.Setup(m.services.Add(newService("shop", "web", nil)), "fill the cache")
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	m.handle(ctx, fmt.Errorf("stopped: %w", ctx.Err()))
	s.Require(len(m.events.take()) == 0, "a sync failed because ctx had ended, and a Warning Event says that it was given up",
		"who stops the controller is no failure of the Service: the next start takes it up")
}

// next calls processNextWorkItem once.
func (m *machine) next() bool {
	more, err := check.Call(m.s, func(ctx context.Context) (bool, error) { return m.c.processNextWorkItem(ctx), nil })
	m.s.Setup(err, "call the step")
	return more
}

// settle calls the step for as long as keys come.
func (m *machine) settle() {
	for quiet := 0; quiet < 15; quiet++ {
		for ; m.queue.Len() > 0; quiet = 0 {
			m.s.Require(m.syncs.Load() < 200, "a key that fails comes back without an end", "after options.MaxRetry retries the key is given up")
			m.s.Require(m.next(), "processNextWorkItem returned false, with the queue not shut down", "false ends the worker: it is for a queue "+
				"that is shut down, and not for a sync that failed")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func judgeOneKey(s *check.S) {
	type ctxKey struct{}
	var m *machine
	var got cache.ObjectName
	var early, waiting int
	var sameCtx bool
	m = newMachine(s, func(ctx context.Context, key cache.ObjectName) error {
		got, sameCtx, early = key, ctx.Value(ctxKey{}) != nil, len(m.queue.seen("Done"))
		if m.syncs.Load() == 1 {
			m.queue.Add(key) // an event while the key is in work
			waiting = m.queue.Len()
		}
		return nil
	})
	m.queue.Add(machineKey)
	more, err := check.Call(s, func(ctx context.Context) (bool, error) {
		return m.c.processNextWorkItem(context.WithValue(ctx, ctxKey{}, true)), nil
	})
	s.Require(err == nil && more, "after a sync without a fault, processNextWorkItem returned false, want true", "true has the worker go on")
	s.Requiref(m.syncs.Load() == 1 && got == machineKey, "one key, one call", "after one key, c.syncHandler was called %d times, with %q, "+
		"want once with %q", m.syncs.Load(), got, machineKey)
	s.Require(sameCtx, "c.syncHandler got another context than processNextWorkItem", "hand ctx on: who stops the controller stops the sync, "+
		"too")
	s.Require(early == 0 && waiting == 0, "the key was done before its sync was over", "Done lets another worker have the key: a second "+
		"sync of the same Service runs beside the first. defer Done")
	s.Requiref(len(m.queue.seen("Done")) <= 1, "between the two another worker may have got the key, and the second Done lets a third have "+
		"it: two syncs of one Service run side by side", "for one key, Done was called %d times, want once", len(m.queue.seen("Done")))
	s.Requiref(m.queue.Len() == 1, "without Done the queue thinks that the key is in work for ever, and gives it to nobody: a Service is "+
		"handled once and never again", "an event came while the key was in work; after Done the queue has %d keys, want 1", m.queue.Len())
	s.Require(len(m.queue.seen("Forget")) > 0, "after a sync without a fault, Forget was not called", "c.handleErr gets every result, nil "+
		"as well: it forgets the key")
	m.settle()
	s.Requiref(m.syncs.Load() == 2, "a key that is done comes back with the next event, and not by itself", "for two events there were %d "+
		"syncs, want 2", m.syncs.Load())
}

func judgeFailedKey(s *check.S) {
	var m *machine
	m = newMachine(s, func(context.Context, cache.ObjectName) error {
		if m.syncs.Load() <= 2 {
			return errSync
		}
		return nil
	})
	m.queue.Add(machineKey)
	m.queue.Add(otherKey)
	m.settle()
	s.Requiref(m.syncs.Load() == 4, "a key whose sync fails comes back by itself: an error that is only logged, or a key without Done, is a "+
		"lost Ingress. And it comes back only once", "2 syncs failed, of two keys; in all there were %d, want 4", m.syncs.Load())

	m = newMachine(s, func(ctx context.Context, _ cache.ObjectName) error { return fmt.Errorf("stopped: %w", ctx.Err()) })
	m.c.options.MaxRetry = 0
	s.Setup(m.services.Add(newService("shop", "web", nil)), "fill the cache")
	m.queue.Add(machineKey)
	s.Must(func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		m.c.processNextWorkItem(ctx)
		return nil
	})
	s.Requiref(len(m.queue.seen("Done")) == len(m.queue.seen("Get")), "in any case tell the queue that you are done: who drains it waits "+
		"for every key in work", "a sync failed because ctx had ended, and after %d Get there were %d Done", len(m.queue.seen("Get")),
		len(m.queue.seen("Done")))
	s.Require(len(m.events.take()) == 0, "a sync failed because ctx had ended, and a Warning Event says that it was given up",
		"hand ctx on to c.handleErr")
}

func judgeShutDown(s *check.S) {
	m := newMachine(s, fine)
	m.queue.ShutDown()
	s.Require(!m.next(), "with the queue shut down, processNextWorkItem returned true", "Get's second result says that the queue is shut "+
		"down: a worker that goes on runs in circles")
	s.Require(m.syncs.Load() == 0, "with the queue shut down, c.syncHandler was called", "the key that comes with shutdown is none")
}

// switchable is a registration that is in sync when the check says so.
type switchable struct{ done chan struct{} }

func (r *switchable) HasSynced() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}
func (r *switchable) HasSyncedChecker() cache.DoneChecker { return r }
func (r *switchable) Name() string                        { return "the check's handler" }
func (r *switchable) Done() <-chan struct{}               { return r.done }

// runner is Run in the background.
type runner struct {
	*machine
	handlers [2]*switchable
	result   chan error
}

// newRunner has keys enough for every worker.
func newRunner(s *check.S, sync func(ctx context.Context, key cache.ObjectName) error) *runner {
	r := &runner{machine: newMachine(s, sync), result: make(chan error, 1)}
	for i := range r.handlers {
		r.handlers[i] = &switchable{make(chan struct{})}
		r.c.handlers = append(r.c.handlers, r.handlers[i])
	}
	return r
}

// fill puts so many keys into the queue.
func (r *runner) fill(keys int) {
	for i := range keys {
		r.queue.Add(cache.ObjectName{Namespace: "shop", Name: fmt.Sprint("web-", i)})
	}
}

func (r *runner) inSync() {
	for _, handler := range r.handlers {
		close(handler.done)
	}
}

// during runs Run, and calls do beside it. Run must return soon after do has.
func (r *runner) during(workers int, do func(stop func())) {
	ctx, stop := context.WithCancel(r.s.Context())
	defer stop()
	go func() { r.result <- r.c.Run(ctx, workers) }()
	do(stop)
	stop()
	err := r.s.Call(func(context.Context) error { return <-r.result })
	r.s.Requiref(err == nil, "stopping is no error", "ctx ended, and Run returned %s", check.ErrorText(err))
	r.s.Require(r.inside.Load() == 0 && r.queue.waiting.Load() == 0, "Run has returned, and a worker still runs, in a sync or waiting for a "+
		"key", "wait for them: a sync that outlives Run may write after another replica has begun to lead")
	r.s.Require(r.c.queue.ShuttingDown(), "Run has returned, and the queue is not shut down", "workers that wait in Get never look at ctx: "+
		"only ShutDown wakes them. And the queue has goroutines of its own")
}

func judgeNoWorkers(s *check.S) {
	for _, workers := range []int{0, -1} {
		r := newRunner(s, fine)
		r.inSync()
		err := s.Call(func(ctx context.Context) error { return r.c.Run(ctx, workers) })
		s.Requiref(err != nil, "nothing would ever be done, and nobody would hear of it", "with %d workers, Run returned no error", workers)
		s.Requiref(r.c.queue.ShuttingDown(), "the queue has goroutines of its own, also where there is nothing to run",
			"with %d workers, Run has returned, and the queue is not shut down", workers)
	}
}

func judgeUnsynced(s *check.S) {
	for i := range 2 {
		r := newRunner(s, fine)
		r.fill(10)
		r.during(3, func(stop func()) {
			close(r.handlers[i].done)
			time.Sleep(400 * time.Millisecond)
			s.Requiref(r.syncs.Load() == 0 && len(r.queue.seen("Get")) == 0, "before both are in sync the caches are not whole, and a worker "+
				"takes what is not there yet for what is not there: wait for every registration in handlers, and look whether the wait succeeded",
				"one of the two handlers is not in sync, and a worker began (%d keys)", len(r.queue.seen("Get")))
		})
		s.Require(r.syncs.Load() == 0 && len(r.queue.seen("Get")) == 0, "ctx ended before the handlers were in sync, and a worker began after "+
			"that", "a wait that ends because ctx has ended is no sync: look at its result")
	}
}

func judgeWorkers(s *check.S) {
	for _, workers := range []int{1, 4} {
		r := newRunner(s, func(ctx context.Context, _ cache.ObjectName) error { <-ctx.Done(); return ctx.Err() })
		r.fill(10)
		r.during(workers, func(func()) {
			r.inSync()
			s.Requiref(s.Eventually(func() bool { return r.inside.Load() == int64(workers) }), "one goroutine for each worker, as many as Run was "+
				"asked for, once the handlers are in sync", "with %d workers, %d work side by side", workers, r.inside.Load())
			time.Sleep(50 * time.Millisecond)
		})
		s.Requiref(r.most.Load() == int64(workers), "one goroutine for each worker, as many as Run was asked for",
			"with %d workers, there were %d", workers, r.most.Load())
	}
}

// judgeIdleEnd has the workers wait for keys when ctx ends.
func judgeIdleEnd(s *check.S) {
	r := newRunner(s, fine)
	r.fill(10)
	r.during(3, func(func()) {
		r.inSync()
		s.Require(s.Eventually(func() bool { return r.queue.waiting.Load() == 3 && r.syncs.Load() == 10 }), "the workers do not process the "+
			"keys of the queue", "with both handlers in sync, each worker calls c.processNextWorkItem again and again (c.runWorker), until ctx ends")
	})
}

// judgeBusyEnd has a worker in the middle of a sync when ctx ends.
func judgeBusyEnd(s *check.S) {
	over := atomic.Bool{}
	r := newRunner(s, func(ctx context.Context, _ cache.ObjectName) error {
		<-ctx.Done()
		time.Sleep(300 * time.Millisecond)
		over.Store(true)
		return nil
	})
	r.fill(1)
	r.during(2, func(stop func()) {
		r.inSync()
		s.Require(s.Eventually(func() bool { return r.inside.Load() > 0 }), "with both handlers in sync, no worker began",
			"the workers begin once the handlers are in sync")
		stop()
		select {
		case err := <-r.result:
			s.Requiref(over.Load() && r.inside.Load() == 0, "shut the queue down, then wait for every worker, and only then return",
				"Run returned (%s) while a sync was running", check.ErrorText(err))
			r.result <- err
		case <-time.After(10 * time.Second):
		}
	})
}
