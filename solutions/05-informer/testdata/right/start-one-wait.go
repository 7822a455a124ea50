//workshop:accept start-one-wait
//workshop:why one WaitFor for the cache and all the handlers
//workshop:step StartPods

package main

import (
	"context"
	"errors"
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
	checkers := []cache.DoneChecker{informer.HasSyncedChecker()}
	for _, handler := range handlers {
		checkers = append(checkers, handler.HasSyncedChecker())
	}
	if cache.WaitFor(deadline, "", checkers...) {
		return nil
	}
	mu.Lock()
	defer mu.Unlock()
	return errors.Join(context.Cause(deadline), lastErr)
}
