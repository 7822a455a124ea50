//workshop:accept lead-lost-plain
//workshop:why the error of run beside a lost Lease may be left out, and the Lease of a lost leader be left to run out
//workshop:step Lead

package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
)

func Lead(ctx context.Context, client kubernetes.Interface, election Election, run func(context.Context) error) error {
	leading := make(chan context.Context, 1)
	config := electionConfig(client, election, func(ctx context.Context) { leading <- ctx })
	elector, err := leaderelection.NewLeaderElector(config)
	if err != nil {
		return fmt.Errorf("make an elector: %w", err)
	}
	electing, stop := context.WithCancel(context.WithoutCancel(ctx))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		elector.Run(electing)
	}()
	release := func() {
		stop()
		<-stopped
		releaseLease(ctx, config.Lock)
	}
	select {
	case <-ctx.Done():
		release()
		return nil
	case held := <-leading:
		working, cancel := context.WithCancel(held)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		err = run(working)
		if held.Err() != nil {
			stop()
			return ErrLostLease
		}
		release()
		return err
	}
}
