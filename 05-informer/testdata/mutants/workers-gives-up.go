//workshop:mutant workers-gives-up
//workshop:fault after five failures the key is dropped
//workshop:step 7
//workshop:want without a limit

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
		return errors.New("too few")
	}
	next := func() bool {
		key, shutdown := queue.Get()
		if shutdown {
			return false
		}
		defer queue.Done(key)
		if err := handle(ctx, key); err != nil && queue.NumRequeues(key) < 5 {
			queue.AddRateLimited(key)
			return true
		}
		queue.Forget(key)
		return true
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for next() {
			}
		})
	}
	<-ctx.Done()
	queue.ShutDown()
	running.Wait()
	return nil
}
