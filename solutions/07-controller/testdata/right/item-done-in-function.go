//workshop:accept item-done-in-function
//workshop:why the work on a key may be a function of its own that calls Done
//workshop:step processNextItem

package main

import (
	"context"
)

func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false, nil
	}
	func() {
		defer c.queue.Done(key)
		err := c.syncHandler(ctx, key)
		c.handleError(ctx, key, err)
	}()
	return true, nil
}
