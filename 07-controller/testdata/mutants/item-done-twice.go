//workshop:mutant item-done-twice
//workshop:fault Done is called twice
//workshop:step 6
//workshop:want Done was called 2 times

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
	c.queue.Done(key)
	return true, nil
}
