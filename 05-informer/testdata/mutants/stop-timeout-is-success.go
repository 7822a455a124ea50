//workshop:mutant stop-timeout-is-success
//workshop:fault the end of timeout is taken for the end of everything
//workshop:step 8
//workshop:want a handler hung
//workshop:want returned nil

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
	}
	if workersErr != nil {
		return fmt.Errorf("workers: %w", workersErr)
	}
	return nil
}
