//workshop:accept item-end-is-false
//workshop:why with the end of ctx the worker may end
//workshop:step processNextWorkItem

package main

import (
	"context"
)

func (c *Controller) processNextWorkItem(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	c.handleErr(ctx, c.syncHandler(ctx, key), key)
	return ctx.Err() == nil
}
