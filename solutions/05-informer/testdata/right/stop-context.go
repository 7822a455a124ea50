//workshop:accept stop-context
//workshop:why a context with a deadline, and both waits side by side
//workshop:step StopAll

package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/informers"
)

func StopAll(stop context.CancelFunc, factory informers.SharedInformerFactory, workers <-chan error, timeout time.Duration) error {
	stop()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var all sync.WaitGroup
	var workersErr error
	var informersEnded atomic.Bool
	all.Go(func() {
		factory.Shutdown()
		informersEnded.Store(true)
	})
	all.Go(func() {
		select {
		case workersErr = <-workers:
		case <-ctx.Done():
			workersErr = ctx.Err()
		}
	})
	done := make(chan struct{})
	go func() {
		all.Wait()
		close(done)
	}()
	select {
	case <-done:
		return workersErr
	case <-ctx.Done():
		return fmt.Errorf("not all has ended (the informers: %t): %w", informersEnded.Load(), ctx.Err())
	}
}
