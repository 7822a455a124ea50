//workshop:mutant item-returns-error
//workshop:fault a failed sync ends the controller
//workshop:step 6
//workshop:want ends the controller

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
	return true, err
}
