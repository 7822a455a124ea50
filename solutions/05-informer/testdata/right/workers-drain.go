//workshop:accept workers-drain
//workshop:why the queue is drained before it is shut down
//workshop:step RunWorkers

package main

import (
	"context"
	"errors"
	"sync"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func RunWorkers(ctx context.Context, queue workqueue.TypedRateLimitingInterface[cache.ObjectName], workers int, handle func(context.Context, cache.ObjectName) error) error {
	if workers < 1 {
		return errors.New("too few workers")
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for {
				key, shutdown := queue.Get()
				if shutdown {
					return
				}
				if err := handle(ctx, key); err != nil {
					queue.AddRateLimited(key)
				} else {
					queue.Forget(key)
				}
				queue.Done(key)
			}
		})
	}
	<-ctx.Done()
	queue.ShutDownWithDrain()
	running.Wait()
	return nil
}
