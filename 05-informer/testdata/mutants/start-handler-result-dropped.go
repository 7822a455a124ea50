//workshop:mutant start-handler-result-dropped
//workshop:fault a handler that does not come to an end is no error
//workshop:step 3
//workshop:want a handler hung
//workshop:want result of the wait for the handlers

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	var mu sync.Mutex
	var lastErr error
	informer := factory.Core().V1().Pods().Informer()
	if err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		mu.Lock()
		defer mu.Unlock()
		lastErr = err
	}); err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := factory.WaitForCacheSyncWithContext(deadline).AsError(); err != nil {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Errorf("sync: %w", errors.Join(lastErr, err))
	}
	for _, handler := range handlers {
		cache.WaitFor(deadline, "", handler.HasSyncedChecker())
	}
	return nil
}
