package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/client-go-workshop/internal/check"
)

// judgePatience waits for a pod that takes ten minutes to go, on a server that
// ends every watch after one. The clock is the check's own: nobody waits for it.
func judgePatience(s *check.S) {
	server := check.NewSlowPod("patience", "slow", 10*time.Minute)
	rec, cfg := server.Recorder()
	client := coreClient(s, cfg)
	var took time.Duration
	gone := false
	err := s.FakeTime(func(ctx context.Context) error {
		started := time.Now()
		err := DeletePod(ctx, client, "patience", "slow")
		took, gone = time.Since(started), server.Gone()
		return err
	})
	looks := rec.Count(check.Match{}) - rec.Count(check.Match{Verb: "delete"})
	// A server of the real world may answer so slowly that a ticker needs no wait;
	// by this clock, an answer takes no time.
	s.Require(looks < 1000 || took/time.Duration(looks) >= 2*time.Millisecond, fmt.Sprintf("%d looks within %s, by the check's own clock: one follows the answer to the other without a pause, while pod slow was terminating\n%s",
		looks, took, rec.Trace()),
		"a loop without a pause floods the API server, and time.Sleep(200) is no pause: it sleeps 200 nanoseconds, 200*time.Millisecond is meant. wait.PollUntilContextCancel has an interval")
	s.Require(err == nil, fmt.Sprintf("pod slow takes ten minutes to go, by the check's own clock, and ctx has no end; DeletePod gave up after %s and %d looks: %v\n%s",
		took.Round(time.Second), looks, err, rec.Trace()),
		"the wait has a limit of its own: a time, a number of looks, or the end of a watch. Only ctx limits it; a watch that the server closes is opened again")
	s.Require(gone, fmt.Sprintf("pod slow takes ten minutes to go, by the check's own clock; DeletePod said after %s and %d looks that it is gone\n%s",
		took.Round(time.Second), looks, rec.Trace()),
		"the wait has a limit of its own, and its end is taken for the pod's: only NotFound, or another UID, means gone")
}

// judgeCancellation ends ctx in the middle of the wait, by the same clock.
func judgeCancellation(s *check.S) {
	const prompt = 5 * time.Second
	server := check.NewSlowPod("patience", "slow", time.Hour)
	rec, cfg := server.Recorder()
	client := coreClient(s, cfg)
	var cancelled, took time.Duration
	err := s.FakeTime(func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		started := time.Now()
		stop := time.AfterFunc(15*time.Second, func() {
			cancelled = time.Since(started)
			cancel()
		})
		defer stop.Stop()
		err := DeletePod(ctx, client, "patience", "slow")
		took = time.Since(started)
		return err
	})
	s.Require(err != nil, "ctx was cancelled in the middle of the wait, and DeletePod returned no error\n"+rec.Trace(),
		"the end of ctx is not the end of the pod: return ctx.Err(), wrapped")
	s.Require(errors.Is(err, context.Canceled), fmt.Sprintf("ctx was cancelled in the middle of the wait, and errors.Is(err, context.Canceled) is false: %v\n%s", err, rec.Trace()),
		"wrap ctx.Err() with %w: a caller that cancelled wants to see that, and not a time that ran out")
	s.Require(took-cancelled <= prompt, fmt.Sprintf("DeletePod came back %s after ctx was cancelled, by the check's own clock\n%s", (took-cancelled).Round(time.Second), rec.Trace()),
		"a pause that does not look at ctx: use select with ctx.Done(), or wait.PollUntilContextCancel, in place of time.Sleep")
}
