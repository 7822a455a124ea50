//workshop:accept run-polls
//workshop:why the wait may ask again and again
//workshop:step Run

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

func (c *Controller) Run(ctx context.Context, workers int) error {
	defer c.queue.ShutDown()
	if workers < 1 {
		return fmt.Errorf("run the controller: %d workers, want at least 1", workers)
	}
	err := wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		for _, handler := range c.handlers {
			if !handler.HasSynced() {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return nil
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { c.runWorker(ctx) })
	}
	<-ctx.Done()
	c.queue.ShutDown()
	wg.Wait()
	return nil
}
