package main

import (
	"context"
	"errors"
	"time"

	"example.com/client-go-workshop/internal/check"
)

// judgePatience waits for a pod that takes ten minutes to go, on a server that
// ends every watch after one. The clock is the check's own: nobody waits for it.
func judgePatience(s *check.S) {
	server := check.NewSlowPod("patience", "slow", 10*time.Minute)
	rec, cfg := server.Recorder(s)
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
	rec.Requiref(looks < 1000 || took/time.Duration(looks) >= 2*time.Millisecond,
		"a loop without a pause floods the API server, and time.Sleep(200) is no pause: it sleeps 200 nanoseconds, 200*time.Millisecond is "+
			"meant. wait.PollUntilContextCancel has an interval",
		"%d looks within %s, by the check's own clock: one follows the answer to the other without a pause, while pod slow was terminating",
		looks, took)
	rec.Requiref(err == nil,
		"the wait has a limit of its own: a time, a number of looks, or the end of a watch. Only ctx limits it; a watch that the server closes "+
			"is opened again",
		"pod slow takes ten minutes to go, by the check's own clock, and ctx has no end; DeletePod gave up after %s and %d looks: %v",
		took.Round(time.Second), looks, err)
	rec.Requiref(gone, "the wait has a limit of its own, and its end is taken for the pod's: only NotFound, or another UID, means gone",
		"pod slow takes ten minutes to go, by the check's own clock; DeletePod said after %s and %d looks that it is gone",
		took.Round(time.Second), looks)
}

// judgeCancellation ends ctx in the middle of the wait, by the same clock.
func judgeCancellation(s *check.S) {
	const prompt = 5 * time.Second
	server := check.NewSlowPod("patience", "slow", time.Hour)
	rec, cfg := server.Recorder(s)
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
	rec.Requiref(err != nil, "the end of ctx is not the end of the pod: return ctx.Err(), wrapped",
		"ctx was cancelled in the middle of the wait, and DeletePod returned no error")
	rec.Requiref(errors.Is(err, context.Canceled),
		"wrap ctx.Err() with %w: a caller that cancelled wants to see that, and not a time that ran out",
		"ctx was cancelled in the middle of the wait, and errors.Is(err, context.Canceled) is false: %v", err)
	rec.Requiref(took-cancelled <= prompt,
		"a pause that does not look at ctx: use select with ctx.Done(), or wait.PollUntilContextCancel, in place of time.Sleep",
		"DeletePod came back %s after ctx was cancelled, by the check's own clock", (took - cancelled).Round(time.Second))
}
