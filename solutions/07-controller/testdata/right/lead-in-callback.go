//workshop:accept lead-in-callback
//workshop:why run may be called in OnStartedLeading
//workshop:step Lead

package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func Lead(ctx context.Context, client kubernetes.Interface, election Election, run func(context.Context) error) error {
	electing, release := context.WithCancel(context.Background())
	defer release()
	began, ended := make(chan struct{}), make(chan struct{})
	var result error
	lost := false
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, election.Namespace, election.Name, client.CoreV1(), client.CoordinationV1(),
		resourcelock.ResourceLockConfig{Identity: election.Identity})
	if err != nil {
		return err
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: election.LeaseDuration, RenewDeadline: election.RenewDeadline, RetryPeriod: election.RetryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				close(began)
				defer close(ended)
				defer release()
				working, cancel := context.WithCancel(leading)
				defer cancel()
				stop := context.AfterFunc(ctx, cancel)
				defer stop()
				result = run(working)
				lost = leading.Err() != nil
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	over := make(chan struct{})
	go func() { elector.Run(electing); close(over) }()
	select {
	case <-ctx.Done():
	case <-began:
	}
	select {
	case <-began:
		<-ended
	default:
		release()
	}
	select {
	case <-over:
	case <-time.After(releaseTimeout):
	}
	if lost {
		return errors.Join(ErrLostLease, result)
	}
	return result
}
