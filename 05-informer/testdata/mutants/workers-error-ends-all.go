//workshop:mutant workers-error-ends-all
//workshop:fault the first error of handle ends RunWorkers
//workshop:step 7
//workshop:want before ctx had ended

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
	failed := make(chan error, workers)
	for range workers {
		go func() {
			for {
				key, shutdown := queue.Get()
				if shutdown {
					return
				}
				err := handle(ctx, key)
				queue.Done(key)
				if err != nil {
					failed <- err
					return
				}
				queue.Forget(key)
			}
		}()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		queue.ShutDown()
		return nil
	}
}
