//workshop:mutant start-pod-informer-only
//workshop:fault only the pod informer runs, and not the others of the factory
//workshop:step 3
//workshop:want that informer was not started

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
	var last error
	informer := factory.Core().V1().Pods().Informer()
	if err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		mu.Lock()
		last = err
		mu.Unlock()
	}); err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	synced := []cache.InformerSynced{informer.HasSynced}
	for _, h := range handlers {
		synced = append(synced, h.HasSynced)
	}
	if !cache.WaitForCacheSync(deadline.Done(), synced...) {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Errorf("wait: %w", errors.Join(last, context.Cause(deadline)))
	}
	return nil
}
