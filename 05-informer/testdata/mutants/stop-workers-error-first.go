//workshop:mutant stop-workers-error-first
//workshop:fault an error of the workers ends the wait for the informers
//workshop:step 8
//workshop:want left a goroutine

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
)

func StopAll(stop context.CancelFunc, factory informers.SharedInformerFactory, workers <-chan error, timeout time.Duration) error {
	stop()
	ended := make(chan struct{})
	go func() {
		factory.Shutdown()
		close(ended)
	}()
	timer := time.After(timeout)
	var workersErr error
	select {
	case workersErr = <-workers:
	case <-timer:
		return errors.New("a worker still runs")
	}
	if workersErr != nil {
		return fmt.Errorf("workers: %w", workersErr)
	}
	select {
	case <-ended:
	case <-timer:
		return errors.New("an informer still runs")
	}
	return nil
}
