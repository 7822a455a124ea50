//workshop:mutant workers-no-done
//workshop:fault Done is not called
//workshop:step 7
//workshop:want not handled a second time
//workshop:want Done is missing

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
			}
		})
	}
	<-ctx.Done()
	queue.ShutDown()
	running.Wait()
	return nil
}
