//workshop:mutant stop-workers-for-ever
//workshop:fault a worker that hangs is waited for without an end
//workshop:step 8
//workshop:want did not return

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
	workersErr := <-workers
	select {
	case <-ended:
	case <-timer:
		return errors.New("an informer still runs")
	}
	if workersErr != nil {
		return fmt.Errorf("workers: %w", workersErr)
	}
	return nil
}
