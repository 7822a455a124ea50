//workshop:accept stop-two-reports
//workshop:why two goroutines report, in any order
//workshop:step StopAll

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/client-go/informers"
)

func StopAll(stop context.CancelFunc, factory informers.SharedInformerFactory, workers <-chan error, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	stop()
	left := map[string]bool{"workers": true, "informers": true}
	gone := make(chan struct{})
	go func() { factory.Shutdown(); close(gone) }()
	var failed error
	for len(left) > 0 {
		select {
		case failed = <-workers:
			delete(left, "workers")
			workers = nil
		case <-gone:
			delete(left, "informers")
			gone = nil
		case <-ctx.Done():
			return errors.Join(failed, fmt.Errorf("still running: %v: %w", slices.Sorted(maps.Keys(left)), ctx.Err()))
		}
	}
	if failed != nil {
		return fmt.Errorf("workers: %w", failed)
	}
	return nil
}
