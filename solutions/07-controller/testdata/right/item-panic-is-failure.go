//workshop:accept item-panic-is-failure
//workshop:why a sync that panics may count as a failure
//workshop:step processNextWorkItem

package main

import (
	"context"
	"fmt"
)

func (c *Controller) processNextWorkItem(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	err := func() (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("sync service %s: panic: %v", key, r)
			}
		}()
		return c.syncHandler(ctx, key)
	}()
	c.handleErr(ctx, err, key)
	return true
}
