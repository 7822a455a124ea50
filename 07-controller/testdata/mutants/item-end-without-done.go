//workshop:mutant item-end-without-done
//workshop:fault with the end of ctx the key is not given back
//workshop:step 6
//workshop:want in any case

package main

import (
	"context"
)

func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false, nil
	}
	err := c.syncHandler(ctx, key)
	if ctx.Err() != nil {
		return false, nil
	}
	defer c.queue.Done(key)
	c.handleError(ctx, key, err)
	return true, nil
}
