//workshop:accept item-panic-is-failure
//workshop:why a sync that panics may count as a failure
//workshop:step processNextItem

package main

import (
	"context"
	"fmt"
)

func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false, nil
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
	c.handleError(ctx, key, err)
	return true, nil
}
