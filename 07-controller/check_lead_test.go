package main

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"example.com/client-go-workshop/internal/check"
)

func TestStep12_electionConfig(t *testing.T) {
	check.Step(t, 12, "electionConfig", func(s *check.S) {
		judgeLock(s)
		judgeTimes(s)
		judgeCallbacks(s)
	})
}

func TestStep13_Lead(t *testing.T) {
	check.Step(t, 13, "Lead", func(s *check.S) {
		ns := s.Namespace()
		judgeSettings(s, ns)
		judgeTwo(s, ns)
		judgeStandby(s, ns)
		judgeLostLease(s, ns)
		judgeHungServer(s, ns)
		judgeOwnEnd(s, ns)
		judgeSilentEnd(s, ns)
	})
}

// configured calls step 12.
func configured(s *check.S, client kubernetes.Interface, election Election,
	started func(context.Context)) leaderelection.LeaderElectionConfig {
	config, err := check.Call(s, func(context.Context) (leaderelection.LeaderElectionConfig, error) {
		return electionConfig(client, election, started), nil
	})
	s.Setup(err, "call the step")
	return config
}

func judgeLock(s *check.S) {
	ns := s.Namespace()
	for _, identity := range []string{"first", "second"} {
		r := newReplica(s, ns, "lock", identity, 200*time.Millisecond)
		config := configured(s, r.client, r.election, func(context.Context) {})
		s.RequireNoRequest(r.rec, "the elector sends the requests, when it runs")
		s.Require(config.Lock != nil, "the configuration has no Lock", "a *resourcelock.LeaseLock")
		s.Requiref(config.Lock.Identity() == identity, "the holder of the Lease is election's Identity: a name that two replicas share lets "+
			"both lead", "the lock's identity is %q, want %q", config.Lock.Identity(), identity)
		_, _, err := config.Lock.Get(s.Context())
		s.Setup(boolError(err == nil || apierrors.IsNotFound(err)), "read the Lease")
		want := "/apis/coordination.k8s.io/v1/namespaces/" + ns + "/leases/lock"
		s.Requiref(r.rec.Count(check.Match{Resource: "leases"}) == 1 && r.rec.Requests(check.Match{})[0].Path == want,
			"the Lease is election's Namespace and Name, and the client is the one that was handed in", "the lock does not read %s\n%s", want,
			r.rec.Trace())
		if identity == "first" {
			record := resourcelock.LeaderElectionRecord{HolderIdentity: identity, LeaseDurationSeconds: 1}
			s.Setup(config.Lock.Create(s.Context(), record), "create the Lease")
		}
	}
}

func judgeTimes(s *check.S) {
	for _, times := range [][3]time.Duration{{15 * time.Second, 10 * time.Second, 2 * time.Second},
		{time.Second, 5 * time.Second, time.Minute}} {
		election := Election{Namespace: "shop", Name: "times", Identity: "one", LeaseDuration: times[0], RenewDeadline: times[1],
			RetryPeriod: times[2]}
		config := configured(s, s.Clientset(), election, func(context.Context) {})
		got := [3]time.Duration{config.LeaseDuration, config.RenewDeadline, config.RetryPeriod}
		s.Requiref(got == times, "the three durations are election's, as they are: NewLeaderElector checks them",
			"LeaseDuration, RenewDeadline and RetryPeriod are %v, want %v", got, times)
	}
}

const releaseCause = "with ReleaseOnCancel the elector releases the Lease as soon as a renewal has failed, and only then ends the " +
	"context of the work: " +
	"two replicas lead. Release it yourself, when run has returned"

func judgeCallbacks(s *check.S) {
	type ctxKey struct{}
	var got context.Context
	election := newReplica(s, "shop", "callbacks", "one", time.Second).election
	config := configured(s, s.Clientset(), election, func(ctx context.Context) { got = ctx })
	s.Require(!config.ReleaseOnCancel, "ReleaseOnCancel is true", releaseCause)
	s.Require(!config.Coordinated, "Coordinated is true", "that is another kind of election, which is alpha")
	_, err := leaderelection.NewLeaderElector(config)
	s.Requiref(err == nil, "OnStartedLeading and OnStoppedLeading are both needed", "NewLeaderElector does not take the configuration: %s",
		check.ErrorText(err))
	s.Must(func(ctx context.Context) error {
		config.Callbacks.OnStartedLeading(context.WithValue(ctx, ctxKey{}, true))
		config.Callbacks.OnStoppedLeading()
		return nil
	})
	s.Require(got != nil && got.Value(ctxKey{}) != nil, "OnStartedLeading does not call started with the context that it gets",
		"this context ends when the Lease is lost: no other says so")
}

// replica is a call of Lead in the background.
type replica struct {
	s        *check.S
	rec      *check.Recorder
	election Election
	client   kubernetes.Interface
	stop     context.CancelFunc
	// running is true from the begin of run to its end; runs counts them.
	running atomic.Bool
	runs    atomic.Int64
	// released is how often the release of the Lease had been sent when run ended.
	released atomic.Int64
	// runEnd is when run ended.
	runEnd atomic.Pointer[time.Time]
	result chan error
}

func newReplica(s *check.S, ns, lease, identity string, unit time.Duration) *replica {
	rec, cfg := s.Recorder()
	return &replica{s: s, rec: rec, client: s.ClientsetFor(cfg), result: make(chan error, 1), election: Election{
		Enabled: true, Namespace: ns, Name: lease, Identity: identity,
		LeaseDuration: 20 * unit, RenewDeadline: 15 * unit, RetryPeriod: unit,
	}}
}

// begin calls Lead with this run.
func (r *replica) begin(run func(context.Context) error) {
	ctx, stop := context.WithCancel(r.s.Context())
	r.stop = stop
	r.s.T().Cleanup(stop)
	go func() {
		r.result <- Lead(ctx, r.client, r.election, func(ctx context.Context) error {
			r.runs.Add(1)
			r.running.Store(true)
			err := run(ctx)
			r.released.Store(int64(r.releases()))
			r.runEnd.Store(new(time.Now()))
			r.running.Store(false)
			return err
		})
	}()
}

// lead is begin for a Lease that is free.
func (r *replica) lead(run func(context.Context) error) {
	r.begin(run)
	r.s.Require(r.s.Eventually(r.running.Load), "a single replica never leads: run is not called\n"+r.rec.Trace(),
		"the Lease in the namespace and of the name of election is free: take it, and call run once you have it (OnStartedLeading)")
}

// end waits for Lead to return.
func (r *replica) end(what string) error {
	select {
	case err := <-r.result:
		r.s.Require(!r.running.Load(), what+", Lead returned while run was running", "wait for run: what it still writes, it writes beside the "+
			"next leader")
		r.s.Require(r.released.Load() == 0, what+", and the Lease was released before run had returned, while run was running\n"+r.rec.Trace(),
			"the next replica begins at once: the context of the election has to live longer than that of run (context.WithoutCancel). And "+
				""+""+releaseCause)
		return err
	case <-time.After(check.CallTimeout):
		r.s.Fail(what+", Lead did not return within "+check.CallTimeout.String(), "a wait that looks neither at ctx nor at the end of run")
		return nil
	}
}

func (r *replica) renewals() int {
	return r.rec.Count(check.Match{Resource: "leases", Verb: "update"}) + r.rec.Count(check.Match{Resource: "leases", Verb: "patch"})
}

func (r *replica) releases() int { return releasesIn(r.rec) }

// releasesIn counts the writes that leave the Lease without a holder.
func releasesIn(rec *check.Recorder) int {
	n := 0
	for _, req := range rec.Requests(check.Match{Resource: "leases"}) {
		if !isWrite(req.Verb) || req.Verb == "create" {
			continue
		}
		object, err := req.Object()
		if err != nil {
			continue // another form of a patch; the Lease itself is looked at, too
		}
		spec, _ := object["spec"].(map[string]any)
		if holder, _ := spec["holderIdentity"].(string); holder == "" {
			n++
		}
	}
	return n
}

func holder(s *check.S, ns, name string) string {
	lease, err := s.Clientset().CoordinationV1().Leases(ns).Get(s.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return ""
	}
	s.Setup(err, "get lease "+name)
	return deref(lease.Spec.HolderIdentity)
}

// untilEnd goes on until its context ends, and a bit longer.
func untilEnd(ctx context.Context) error {
	<-ctx.Done()
	time.Sleep(300 * time.Millisecond)
	return nil
}

func judgeSettings(s *check.S, ns string) {
	bad := newReplica(s, ns, "bad", "a", 200*time.Millisecond)
	bad.election.RenewDeadline = 2 * bad.election.LeaseDuration
	err := s.Call(func(ctx context.Context) error {
		return Lead(ctx, bad.client, bad.election, func(context.Context) error { bad.runs.Add(1); return nil })
	})
	s.Requiref(err != nil && bad.runs.Load() == 0, "leaderelection.NewLeaderElector refuses this: return its error. RunOrDie would panic",
		"with a RenewDeadline longer than the LeaseDuration, Lead returned %s, and run was called %d times", check.ErrorText(err),
		bad.runs.Load())
}

func judgeTwo(s *check.S, ns string) {
	first, second := newReplica(s, ns, "two", "first", 200*time.Millisecond), newReplica(s, ns, "two", "second", 200*time.Millisecond)
	first.lead(untilEnd)
	s.Requiref(holder(s, ns, "two") == "first", "the Lease is election's Namespace and Name, the holder its Identity",
		"run was called, and the holder of Lease %s/two is %q, want first", ns, holder(s, ns, "two"))
	second.begin(func(ctx context.Context) error { return errors.Join(untilEnd(ctx), errSync) })
	begun := first.renewals()
	s.Await("see the leader renew its Lease", func() bool { return first.renewals() >= begun+3 })
	s.Require(second.runs.Load() == 0 && first.running.Load(), "two replicas run at the same time", "run is for the one that holds the Lease")

	first.stop()
	err := first.end("ctx ended while it led")
	s.Requiref(err == nil, "stopping is no error, and losing the Lease is another thing than releasing it", "ctx ended while it led; Lead "+
		"returned %s", check.ErrorText(err))
	s.Require(first.releases() > 0 || holder(s, ns, "two") != "first", "ctx ended while it led, and the Lease was not "+
		"released\n"+first.rec.Trace(), "releaseLease, before you return: else the next replica waits for the Lease's end")
	s.Require(s.Eventually(second.running.Load), "the leader has gone, and the other replica does not lead", "who stands by goes on trying")
	s.Require(holder(s, ns, "two") == "second", "Lead has returned, and took the Lease again\n"+first.rec.Trace(),
		"the elector goes on until its context ends: end it, wait for its Run, and only then release the Lease")
	second.stop()
	err = second.end("ctx ended while it led")
	s.Requiref(errors.Is(err, errSync), "return what run returned, nil or an error", "ctx ended while it led, and run returned the error: "+
		"%v; Lead returned %s", errSync, check.ErrorText(err))
	s.Requiref(!errors.Is(err, ErrLostLease), "losing the Lease is another thing than releasing it", "ctx ended while it led; Lead returned "+
		"%s", check.ErrorText(err))
	s.Requiref(first.runs.Load() == 1 && second.runs.Load() == 1, "who has led ends; it does not lead a second time",
		"run was called %d and %d times, want once each", first.runs.Load(), second.runs.Load())
}

func judgeStandby(s *check.S, ns string) {
	_, err := s.Clientset().CoordinationV1().Leases(ns).Create(s.Context(), &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "held"},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: new("somebody"), LeaseDurationSeconds: new(int32(3600)),
			AcquireTime: new(metav1.NowMicro()), RenewTime: new(metav1.NowMicro())},
	}, metav1.CreateOptions{})
	s.Setup(err, "create a Lease")
	r := newReplica(s, ns, "held", "late", 200*time.Millisecond)
	r.election.LeaseDuration, r.election.RenewDeadline = time.Hour, time.Minute
	r.begin(untilEnd)
	r.rec.WaitFor(s.Context(), check.Match{Resource: "leases"})
	r.stop()
	err = r.end("ctx ended while it stood by")
	s.Requiref(err == nil, "stopping is no error", "ctx ended while it stood by; Lead returned %s", check.ErrorText(err))
	s.Require(r.runs.Load() == 0, "the Lease is held by somebody else, and run was called", "run is for the one that holds the Lease")
	s.Requiref(holder(s, ns, "held") == "somebody", "only what is yours can be released", "the Lease was held by somebody, and now by %q",
		holder(s, ns, "held"))
}

// judgeLostLease has the server refuse every renewal.
func judgeLostLease(s *check.S, ns string) {
	r := newReplica(s, ns, "lost", "unlucky", 100*time.Millisecond)
	r.lead(func(ctx context.Context) error { return errors.Join(untilEnd(ctx), errSync) })
	// The lock itself can be read: the elector tries to release it when it may.
	for _, verb := range []string{"update", "patch"} {
		r.rec.Refuse(check.Match{Resource: "leases", Verb: verb}, http.StatusInternalServerError)
	}
	err := r.end("the Lease could not be renewed")
	s.Requiref(r.runs.Load() == 1, "the process ends and starts afresh", "the Lease was lost, and run was called %d times", r.runs.Load())
	s.Requiref(errors.Is(err, ErrLostLease), "another replica may lead by now: this one ends with an error that wraps ErrLostLease, also "+
		"where run returned an error of its own", "the Lease was lost; Lead returned %s", check.ErrorText(err))
}

// judgeHungServer has the server answer nothing any more.
func judgeHungServer(s *check.S, ns string) {
	r := newReplica(s, ns, "hung", "one", 100*time.Millisecond)
	r.election.LeaseDuration, r.election.RenewDeadline = 6*time.Second, 4*time.Second
	r.lead(func(ctx context.Context) error { <-ctx.Done(); return nil })
	hung := time.Now()
	r.rec.Delay(check.Match{Resource: "leases"}, check.Always, time.Minute)
	err := r.end("the server did not answer any more")
	end := r.runEnd.Load()
	s.Requiref(end != nil && end.Sub(hung) < r.election.LeaseDuration, "another replica may lead LeaseDuration after the last renewal. The "+
		"elector gives up after RenewDeadline, and with ReleaseOnCancel it first waits as long again for the release",
		"the server did not answer any more, and the context of run did not end within LeaseDuration, %s", r.election.LeaseDuration)
	s.Requiref(errors.Is(err, ErrLostLease), "the Lease was lost: another replica may lead by now", "the server did not answer any more; "+
		"Lead returned %s", check.ErrorText(err))
}

func judgeOwnEnd(s *check.S, ns string) {
	for name, want := range map[string]error{"fails": errSync, "ends": nil} {
		r := newReplica(s, ns, name, "one", 200*time.Millisecond)
		r.begin(func(context.Context) error { return want })
		err := r.end("run returned by itself")
		s.Requiref(errors.Is(err, want), "who leads and does nothing any more keeps the others from it: return what run returned",
			"run returned %s by itself; Lead returned %s", check.ErrorText(want), check.ErrorText(err))
		s.Requiref(!errors.Is(err, ErrLostLease), "the Lease was not lost: it is released", "run returned by itself; Lead returned %s",
			check.ErrorText(err))
		s.Requiref(holder(s, ns, name) == "", "release the Lease: the next replica need not wait for its end",
			"run returned by itself, and the Lease is still held by %q", holder(s, ns, name))
	}
}

// judgeSilentEnd has ctx end while the server does not answer.
func judgeSilentEnd(s *check.S, ns string) {
	r := newReplica(s, ns, "silent", "one", 200*time.Millisecond)
	r.election.LeaseDuration, r.election.RenewDeadline = 2*time.Minute, time.Minute
	r.lead(untilEnd)
	r.rec.Delay(check.Match{Resource: "leases"}, check.Always, time.Minute)
	r.stop()
	const what = "ctx ended while the server did not answer any more"
	_ = r.end(what) // what it returns is not in the task
	took := time.Since(*r.runEnd.Load()).Round(time.Millisecond)
	s.Requiref(took < 3*releaseTimeout, "a server that does not answer must not hold the end up: the release has its own limit, "+
		"releaseTimeout", "%s, and Lead returned %s after run", what, took)
}
