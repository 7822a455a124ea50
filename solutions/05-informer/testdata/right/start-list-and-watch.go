//workshop:accept start-list-and-watch
//workshop:why informers may begin with a list and go on with a watch, as they do where the stream is switched off
//workshop:step StartPods

package main

import (
	"context"
	"errors"
	"os"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func init() { os.Setenv("KUBE_FEATURE_WatchListClient", "false") }

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
	factory.StartWithContext(ctx)
	err := wait(ctx)
	if err == nil {
		return nil
	}
	mu.Lock()
	defer mu.Unlock()
	return errors.Join(err, lastErr)
}
