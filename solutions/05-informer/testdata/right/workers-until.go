//workshop:accept workers-until
//workshop:why wait.UntilWithContext starts a worker again that ended
//workshop:step RunWorkers

package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

func RunWorkers(ctx context.Context, queue workqueue.TypedRateLimitingInterface[cache.ObjectName], workers int, handle func(context.Context, cache.ObjectName) error) error {
	if workers < 1 {
		return errors.New("too few workers")
	}
	worker := func(ctx context.Context) {
		for {
			key, shutdown := queue.Get()
			if shutdown {
				return
			}
			func() {
				defer queue.Done(key)
				if err := handle(ctx, key); err != nil {
					queue.AddRateLimited(key)
					return
				}
				queue.Forget(key)
			}()
		}
	}
	var group wait.Group
	for range workers {
		group.Start(func() { wait.UntilWithContext(ctx, worker, time.Second) })
	}
	<-ctx.Done()
	queue.ShutDown()
	group.Wait()
	return nil
}
