//workshop:accept lead-in-callback
//workshop:why run may be called in OnStartedLeading
//workshop:step Lead

package main

import (
	"context"
	"errors"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
)

func Lead(ctx context.Context, client kubernetes.Interface, election Election, run func(context.Context) error) error {
	electing, stop := context.WithCancel(context.Background())
	defer stop()
	began, ended := make(chan struct{}), make(chan struct{})
	var result error
	lost := false
	config := electionConfig(client, election, func(leading context.Context) {
		close(began)
		defer close(ended)
		working, cancel := context.WithCancel(leading)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		result = run(working)
		lost = leading.Err() != nil
	})
	elector, err := leaderelection.NewLeaderElector(config)
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
	}
	stop()
	<-over
	releaseLease(ctx, config.Lock)
	if lost {
		return errors.Join(ErrLostLease, result)
	}
	return result
}
