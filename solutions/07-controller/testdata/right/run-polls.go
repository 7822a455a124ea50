//workshop:accept run-polls
//workshop:why the wait may ask again and again
//workshop:step Run

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

func (c *Controller) Run(ctx context.Context) error {
	// Also where there is nothing to run: a queue has goroutines of its own.
	defer c.queue.ShutDown()
	if c.options.Workers < 1 {
		return fmt.Errorf("run the controller: %d workers, want 1 at least", c.options.Workers)
	}
	logger := klog.FromContext(ctx)
	logger.Info("Starting the controller", "workers", c.options.Workers)
	defer logger.Info("The controller has stopped")

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
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var workers sync.WaitGroup
	failures := make(chan error, c.options.Workers)
	for range c.options.Workers {
		workers.Go(func() {
			defer utilruntime.HandleCrashWithContext(ctx)
			if err := c.worker(ctx); err != nil {
				failures <- err
				stop()
			}
		})
	}
	<-ctx.Done()
	c.queue.ShutDown()
	workers.Wait()
	select {
	case err := <-failures:
		return err
	default:
		return nil
	}
}
