//workshop:accept start-with-stop-channel
//workshop:why the older Start takes the channel that ends with ctx
//workshop:step StartPods

package main

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, wait func(context.Context) error) error {
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
	if err := wait(ctx); err != nil {
		mu.Lock()
		defer mu.Unlock()
		if lastErr == nil {
			return fmt.Errorf("wait: %w", err)
		}
		return fmt.Errorf("wait: %w, last error: %w", err, lastErr)
	}
	return nil
}
