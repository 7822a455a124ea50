//workshop:mutant item-shutdown-goes-on
//workshop:fault the worker goes on after the end
//workshop:step 6
//workshop:want shut down

package main

import (
	"context"
)

func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return true, nil
	}
	defer c.queue.Done(key)
	c.handleError(ctx, key, c.syncHandler(ctx, key))
	return true, nil
}
