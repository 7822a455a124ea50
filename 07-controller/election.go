package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/kubernetes"

	"example.com/client-go-workshop/internal/todo"
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
	panic(todo.Step(8))
}
