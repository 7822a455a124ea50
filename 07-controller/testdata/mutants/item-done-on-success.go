//workshop:mutant item-done-on-success
//workshop:fault a key that failed is never handled again
//workshop:step 6
//workshop:want only logged

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
	if err == nil {
		c.queue.Done(key)
	}
	c.handleError(ctx, key, err)
	return true, nil
}
