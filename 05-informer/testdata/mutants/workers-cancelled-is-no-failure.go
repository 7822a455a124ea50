//workshop:mutant workers-cancelled-is-no-failure
//workshop:fault a handle that returns a context's error is taken for the end
//workshop:step 7
//workshop:want the next key was not handled

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
		err := handle(ctx, key)
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return false
		}
		if err != nil {
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
