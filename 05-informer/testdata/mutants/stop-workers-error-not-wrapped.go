//workshop:mutant stop-workers-error-not-wrapped
//workshop:fault the error of the workers is only in the text
//workshop:step 8
//workshop:want workers sent an error
//workshop:want %w

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
	select {
	case <-ended:
	case <-timer:
		return errors.New("an informer still runs")
	}
	if workersErr != nil {
		return fmt.Errorf("workers: %v", workersErr)
	}
	return nil
}
