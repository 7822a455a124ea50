//workshop:mutant workers-shutdown-ignored
//workshop:fault what Get says of the shutdown is not looked at
//workshop:step 7
//workshop:want did not return

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
				key, _ := queue.Get()
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
	queue.ShutDown()
	running.Wait()
	return nil
}
