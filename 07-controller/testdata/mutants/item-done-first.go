//workshop:mutant item-done-first
//workshop:fault a key is given to a second worker while the first has it
//workshop:step 6
//workshop:want runs beside

package main

import (
	"context"
)

func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false, nil
	}
	c.queue.Done(key)
	c.handleError(ctx, key, c.syncHandler(ctx, key))
	return true, nil
}
