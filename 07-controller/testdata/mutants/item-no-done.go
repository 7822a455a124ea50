//workshop:mutant item-no-done
//workshop:fault a key is handled once and never again
//workshop:step 6
//workshop:want handled once

package main

import (
	"context"
)

func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false, nil
	}
	c.handleError(ctx, key, c.syncHandler(ctx, key))
	return true, nil
}
