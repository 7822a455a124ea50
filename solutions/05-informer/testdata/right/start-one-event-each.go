//workshop:accept start-one-event-each
//workshop:why a list may come as one item for each pod, as it does where atomic lists are switched off
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

func init() {
	os.Setenv("KUBE_FEATURE_AtomicFIFO", "false")
	os.Setenv("KUBE_FEATURE_UnlockWhileProcessingFIFO", "false")
}

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
