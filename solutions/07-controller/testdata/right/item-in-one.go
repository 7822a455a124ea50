//workshop:accept item-in-one
//workshop:why all in one function
//workshop:step processNextItem

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

func (c *Controller) processNextItem(ctx context.Context) (bool, error) {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false, nil
	}
	defer c.queue.Done(key)
	err := c.syncHandler(ctx, key)
	if err != nil && ctx.Err() == nil && c.queue.NumRequeues(key) < c.options.MaxRetry {
		c.queue.AddRateLimited(key)
		return true, nil
	}
	c.queue.Forget(key)
	if err == nil || ctx.Err() != nil {
		return true, nil
	}
	utilruntime.HandleErrorWithContext(ctx, err, "Gave up", "service", key)
	service, missing := c.services.Services(key.Namespace).Get(key.Name)
	if missing == nil {
		c.recorder.Eventf(service, corev1.EventTypeWarning, "GaveUp", "%v", err)
	}
	return true, nil
}
