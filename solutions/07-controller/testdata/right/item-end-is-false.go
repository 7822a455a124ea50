//workshop:accept item-end-is-false
//workshop:why with the end of ctx the worker may end
//workshop:step processNextItem

package main

import (
	"context"
)

func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false, nil
	}
	defer c.queue.Done(key)
	c.handleError(ctx, key, c.syncHandler(ctx, key))
	return ctx.Err() == nil, nil
}
