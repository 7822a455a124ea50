//workshop:mutant item-own-context
//workshop:fault the sync does not hear of the end
//workshop:step 6
//workshop:want hand ctx on

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
	c.handleError(ctx, key, c.syncHandler(context.Background(), key))
	return true, nil
}
