//workshop:accept run-shutdown-after-func
//workshop:why context.AfterFunc may shut the queue down, and a channel count the workers
//workshop:step Run

package main

import (
	"context"
	"errors"
)

func (c *Controller) Run(ctx context.Context, workers int) error {
	defer c.queue.ShutDown()
	if workers < 1 {
		return errors.New("no workers")
	}
	context.AfterFunc(ctx, c.queue.ShutDown)
	for _, handler := range c.handlers {
		select {
		case <-ctx.Done():
			return nil
		case <-handler.HasSyncedChecker().Done():
		}
	}
	over := make(chan struct{})
	for range workers {
		go func() {
			c.runWorker(ctx)
			over <- struct{}{}
		}()
	}
	for range workers {
		<-over
	}
	return nil
}
