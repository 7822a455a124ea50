//workshop:accept start-one-event-each
//workshop:why a list may come as one item for each pod, as it does where atomic lists are switched off
//workshop:step StartPods

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// An informer reads the switches when it starts.
func init() {
	os.Setenv("KUBE_FEATURE_AtomicFIFO", "false")
	os.Setenv("KUBE_FEATURE_UnlockWhileProcessingFIFO", "false")
}

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	var mu sync.Mutex
	var lastErr error
	informer := factory.Core().V1().Pods().Informer()
	err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		mu.Lock()
		defer mu.Unlock()
		lastErr = err
	})
	if err != nil {
		return fmt.Errorf("set the watch error handler of the pod informer: %w", err)
	}
	factory.StartWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := factory.WaitForCacheSyncWithContext(deadline).AsError(); err != nil {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Errorf("wait for the pod cache: %w", errors.Join(lastErr, err))
	}
	for _, handler := range handlers {
		if checker := handler.HasSyncedChecker(); !cache.WaitFor(deadline, "", checker) {
			return fmt.Errorf("wait for %s: %w", checker.Name(), context.Cause(deadline))
		}
	}
	return nil
}
