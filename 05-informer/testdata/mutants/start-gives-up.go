//workshop:mutant start-gives-up
//workshop:fault the first error ends the wait
//workshop:step 3
//workshop:want one error is not the end

package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	failed := make(chan error, 1)
	informer := factory.Core().V1().Pods().Informer()
	if err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		select {
		case failed <- err:
		default:
		}
	}); err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case <-informer.HasSyncedChecker().Done():
	case err := <-failed:
		return err
	case <-deadline.Done():
		return deadline.Err()
	}
	for _, handler := range handlers {
		if !cache.WaitFor(deadline, "", handler.HasSyncedChecker()) {
			return fmt.Errorf("sync of a handler: %w", context.Cause(deadline))
		}
	}
	return nil
}
