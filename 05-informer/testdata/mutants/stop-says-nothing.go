//workshop:mutant stop-says-nothing
//workshop:fault the error does not say what still runs
//workshop:step 8
//workshop:want the same text

package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
)

func StopAll(stop context.CancelFunc, factory informers.SharedInformerFactory, workers <-chan error, timeout time.Duration) error {
	stop()
	done := make(chan error, 1)
	go func() {
		err := <-workers
		factory.Shutdown()
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("workers: %w", err)
		}
		return nil
	case <-time.After(timeout):
		return context.DeadlineExceeded
	}
}
