//workshop:accept start-logs
//workshop:why log lines on stderr are no part of the answer
//workshop:step StartPods

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, wait func(context.Context) error) error {
	logger := klog.FromContext(ctx)
	var mu sync.Mutex
	var lastErr error
	informer := factory.Core().V1().Pods().Informer()
	err := informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, r *cache.Reflector, err error) {
		mu.Lock()
		lastErr = err
		mu.Unlock()
		logger.Error(err, "Could not list or watch pods")
		cache.DefaultWatchErrorHandler(ctx, r, err)
	})
	if err != nil {
		return fmt.Errorf("set the watch error handler of the pod informer: %w", err)
	}
	factory.StartWithContext(ctx)
	fmt.Fprintln(os.Stderr, "waiting for the pods")
	if err := wait(ctx); err != nil {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Errorf("wait for the pod cache: %w", errors.Join(lastErr, err))
	}
	klog.Warning("the pods are there")
	return nil
}
