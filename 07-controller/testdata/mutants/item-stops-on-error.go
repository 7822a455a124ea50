//workshop:mutant item-stops-on-error
//workshop:fault the first error ends the worker
//workshop:step 6
//workshop:want ends the worker

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
	err := c.syncHandler(ctx, key)
	c.handleError(ctx, key, err)
	return err == nil, nil
}
