package main

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"

	"example.com/client-go-workshop/internal/todo"
)

// Election says which Lease the replicas compete for, and how.
type Election struct {
	Enabled bool
	// Namespace and Name are those of the Lease. Identity names this replica.
	Namespace, Name, Identity string
	// LeaseDuration is how long the others wait for a leader that does not renew,
	// RenewDeadline how long the leader tries to renew, RetryPeriod how often.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// requestTimeout is the time that one request for the Lease may take. With less
// than RenewDeadline, one request that hangs does not lose the Lease. With no
// more than is left of LeaseDuration, a leader whose last renewal was answered
// late still stops before another replica may lead.
func (e Election) requestTimeout() time.Duration {
	return max(time.Second, min(e.RenewDeadline/2, e.LeaseDuration-e.RenewDeadline-e.RetryPeriod))
}

// ErrLostLease ends a leader that could not renew its Lease: another replica
// may lead by now.
var ErrLostLease = errors.New("lost the lease")

// electionConfig returns the configuration of the elector.
//
// Step 12: configure the leader election.
//
// The packages are leaderelection and resourcelock, below
// k8s.io/client-go/tools/leaderelection. Return a LeaderElectionConfig with
//
//   - a resourcelock.LeaseLock for the Lease that election names, with the
//     CoordinationV1 client of client, and with election.Identity;
//   - the three durations of election;
//   - OnStartedLeading: started. The elector calls it in a goroutine of its own,
//     with a context that ends when the Lease is lost;
//   - OnStoppedLeading: a function that does nothing. The elector demands one;
//   - ReleaseOnCancel: false.
//
// ReleaseOnCancel looks right and is not. When the renewal fails, the elector
// releases the Lease first and ends the context of started after that. Another
// replica leads at once, and this one still works. Step 13 releases the Lease.
//
// Send no request here. Do not check the durations: NewLeaderElector does.
func electionConfig(client kubernetes.Interface, election Election, started func(context.Context)) leaderelection.LeaderElectionConfig {
	panic(todo.Step(12))
}

// Lead calls run while this replica holds the Lease.
//
// Step 13: lead, and stop in the right order.
//
// Make an elector with electionConfig and leaderelection.NewLeaderElector, and
// return the error of the latter. Run the elector in a goroutine. Once it leads,
// call run, with a context that ends when ctx ends or the Lease is lost.
//
// When run has returned, for whatever reason,
//
//  1. end the context of the elector, and wait until its Run has returned;
//  2. call releaseLease, so that the next replica need not wait.
//
// Never do this earlier: the next replica leads as soon as the Lease is released.
// So the context of the elector must outlive ctx (context.WithoutCancel), and the
// elector renews the Lease while run comes to its end.
//
// Return
//
//   - an error that wraps ErrLostLease if the Lease was lost. Join it with the
//     error of run, or leave that out. The process ends, and starts afresh;
//   - otherwise what run returned: nil or its error;
//   - nil if ctx ended before this replica led. Do the two steps above in this
//     case, too. Do not call run.
func Lead(ctx context.Context, client kubernetes.Interface, election Election, run func(context.Context) error) error {
	panic(todo.Step(13))
}

// releaseTimeout is how long the release of the Lease may take: a server that
// does not answer must not hold up the end of the program.
const releaseTimeout = 2 * time.Second

// releaseLease releases the Lease if it still names this replica, as the elector
// itself does with ReleaseOnCancel. It works also after the end of ctx.
func releaseLease(ctx context.Context, lock resourcelock.Interface) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	// The last renewal may have reached the server although its answer did not come.
	err := retry.OnError(retry.DefaultRetry, apierrors.IsConflict, func() error {
		record, _, err := lock.Get(ctx)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil || record.HolderIdentity != lock.Identity() {
			return err
		}
		now := metav1.Now()
		return lock.Update(ctx, resourcelock.LeaderElectionRecord{
			LeaseDurationSeconds: 1, AcquireTime: now, RenewTime: now, LeaderTransitions: record.LeaderTransitions,
		})
	})
	if err != nil {
		klog.FromContext(ctx).Info("Could not release the Lease", "lease", lock.Describe(), "err", err)
	}
}
