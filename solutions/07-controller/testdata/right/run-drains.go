//workshop:accept run-drains
//workshop:why the queue may be shut down with what is in work drained
//workshop:step Run

package main

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/client-go/tools/cache"
)

func (c *Controller) Run(ctx context.Context, workers int) error {
	defer c.queue.ShutDown()
	if workers < 1 {
		return fmt.Errorf("run the controller: %d workers, want at least 1", workers)
	}
	synced := make([]cache.DoneChecker, len(c.handlers))
	for i, handler := range c.handlers {
		synced[i] = handler.HasSyncedChecker()
	}
	if !cache.WaitFor(ctx, "", synced...) {
		return nil
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { c.runWorker(ctx) })
	}
	<-ctx.Done()
	c.queue.ShutDownWithDrain()
	wg.Wait()
	return nil
}
