//workshop:accept workers-shutdown-after-func
//workshop:why the shutdown hangs on ctx, and the workers are all that is waited for
//workshop:step RunWorkers

package main

import (
	"context"
	"errors"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func RunWorkers(ctx context.Context, queue workqueue.TypedRateLimitingInterface[cache.ObjectName], workers int, handle func(context.Context, cache.ObjectName) error) error {
	if workers < 1 {
		return errors.New("too few workers")
	}
	stop := context.AfterFunc(ctx, queue.ShutDown)
	defer stop()
	done := make(chan struct{})
	for range workers {
		go func() {
			defer func() { done <- struct{}{} }()
			for {
				key, shutdown := queue.Get()
				if shutdown {
					return
				}
				err := handle(ctx, key)
				if err == nil {
					queue.Forget(key)
				} else {
					queue.AddRateLimited(key)
				}
				queue.Done(key)
			}
		}()
	}
	for range workers {
		<-done
	}
	return nil
}
