//workshop:accept start-polling
//workshop:why WaitForCacheSync asks HasSynced again and again
//workshop:step StartPods

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
	factory.Start(ctx.Done())
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	synced := []cache.InformerSynced{informer.HasSynced}
	for _, handler := range handlers {
		synced = append(synced, handler.HasSynced)
	}
	if !cache.WaitForCacheSync(deadline.Done(), synced...) {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Errorf("not in sync: %w", errors.Join(lastErr, deadline.Err()))
	}
	return nil
}
