//workshop:accept item-done-in-function
//workshop:why the work on a key may be a function of its own that calls Done
//workshop:step processNextWorkItem

package main

import (
	"context"
)

func (c *Controller) processNextWorkItem(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	func() {
		defer c.queue.Done(key)
		err := c.syncHandler(ctx, key)
		c.handleErr(ctx, err, key)
	}()
	return true
}
