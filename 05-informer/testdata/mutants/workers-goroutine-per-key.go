//workshop:mutant workers-goroutine-per-key
//workshop:fault each key gets a goroutine of its own
//workshop:step 7
//workshop:want no goroutine for each key

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
				running.Go(func() {
					defer queue.Done(key)
					if err := handle(ctx, key); err != nil {
						queue.AddRateLimited(key)
						return
					}
					queue.Forget(key)
				})
			}
		})
	}
	<-ctx.Done()
	queue.ShutDown()
	running.Wait()
	return nil
}
