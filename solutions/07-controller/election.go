package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

// Election says which Lease the replicas compete for, and how.
type Election struct {
	Enabled bool
	// Namespace and Name are the Lease's, Identity is this replica's.
	Namespace, Name, Identity string
	// LeaseDuration is how long the others wait for a leader that is silent,
	// RenewDeadline how long the leader tries to renew, RetryPeriod how often.
	LeaseDuration, RenewDeadline, RetryPeriod time.Duration
}

// ErrLostLease ends a leader that could not renew its Lease: another replica
// may lead by now.
var ErrLostLease = errors.New("lost the lease")

// releaseTimeout is how long giving the Lease back may take.
const releaseTimeout = 2 * time.Second

// Step 8: let one replica lead.
//
// Compete for the Lease (leaderelection, resourcelock.LeaseLock with the
// client's CoordinationV1) and call run once you lead, with a context that ends
// when ctx ends or the Lease is lost.
//
//   - ctx ends while you stand by: return nil; run is not called.
//   - ctx ends while you lead: wait until run has returned, and only then give
//     the Lease back (ReleaseOnCancel), so that the next replica need not wait
//     for its end and never works beside you. Return run's error, or nil. A
//     server that does not answer must not hold this up for longer than
//     releaseTimeout.
//   - The Lease is lost: wait until run has returned, and return an error that
//     wraps ErrLostLease, so that the process ends and starts afresh.
//   - run returns by itself: give the Lease back and return its error.
//
// A setting that the elector refuses is an error.
func Lead(ctx context.Context, client kubernetes.Interface, election Election, run func(context.Context) error) error {
	// The Lease is given back last, so its context outlives ctx.
	lease, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	leading := make(chan context.Context, 1)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name: election.Name,
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: election.Namespace, Name: election.Name},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: election.Identity},
		},
		LeaseDuration:   election.LeaseDuration,
		RenewDeadline:   election.RenewDeadline,
		RetryPeriod:     election.RetryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { leading <- ctx },
			OnStoppedLeading: func() {},
			OnNewLeader: func(identity string) {
				klog.FromContext(ctx).Info("A replica leads", "leader", identity, "me", election.Identity)
			},
		},
	})
	if err != nil {
		return fmt.Errorf("make an elector for lease %s/%s: %w", election.Namespace, election.Name, err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		elector.Run(lease)
	}()
	giveBack := func() {
		release()
		select {
		case <-over:
		case <-time.After(releaseTimeout):
		}
	}

	select {
	case <-ctx.Done():
		giveBack()
		return nil
	case held := <-leading:
		working, cancel := context.WithCancel(held)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		err = run(working)
		lost := held.Err() != nil
		giveBack()
		if lost {
			return errors.Join(fmt.Errorf("lease %s/%s: %w", election.Namespace, election.Name, ErrLostLease), err)
		}
		return err
	}
}
