//workshop:accept run-shutdown-after-func
//workshop:why context.AfterFunc may shut the queue down, and a channel bring the results
//workshop:step Run

package main

import (
	"context"
	"errors"
)

func (c *Controller) Run(ctx context.Context) error {
	if c.options.Workers < 1 {
		return errors.New("no workers")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.queue.ShutDown()
	context.AfterFunc(ctx, c.queue.ShutDown)
	for _, handler := range c.handlers {
		select {
		case <-ctx.Done():
			return nil
		case <-handler.HasSyncedChecker().Done():
		}
	}
	results := make(chan error)
	for range c.options.Workers {
		go func() { results <- c.worker(ctx) }()
	}
	var first error
	for range c.options.Workers {
		if err := <-results; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}
