//workshop:accept lead-resourcelock-new
//workshop:why resourcelock.New makes the same lock
//workshop:step Lead

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
)

func Lead(ctx context.Context, client kubernetes.Interface, election Election, run func(context.Context) error) error {
	// The Lease is given back last, so its context outlives ctx.
	lease, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	leading := make(chan context.Context, 1)
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, election.Namespace, election.Name, client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: election.Identity})
	if err != nil {
		return fmt.Errorf("make a lock: %w", err)
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Name:            election.Name,
		Lock:            lock,
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
