//workshop:mutant item-shutdown-ignored
//workshop:fault the key that comes with the end is handled
//workshop:step 6
//workshop:want shut down

package main

import (
	"context"
)

func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	_ = shutdown
	defer c.queue.Done(key)
	c.handleError(ctx, key, c.syncHandler(ctx, key))
	return true, nil
}
