//workshop:accept item-in-one
//workshop:why both steps in one function, the other one only calls it
//workshop:step handleErr

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) processNextWorkItem(ctx context.Context) bool {
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key)
	c.decideOn(ctx, key, c.syncHandler(ctx, key))
	return true
}

func (c *Controller) handleErr(ctx context.Context, err error, key cache.ObjectName) {
	c.decideOn(ctx, key, err)
}

func (c *Controller) decideOn(ctx context.Context, key cache.ObjectName, err error) {
	if err != nil && ctx.Err() == nil && c.queue.NumRequeues(key) < c.options.MaxRetry {
		c.queue.AddRateLimited(key)
		return
	}
	c.queue.Forget(key)
	if err == nil || ctx.Err() != nil {
		return
	}
	utilruntime.HandleErrorWithContext(ctx, err, "Gave up", "service", key)
	service, missing := c.serviceLister.Services(key.Namespace).Get(key.Name)
	if missing == nil {
		c.recorder.Eventf(service, corev1.EventTypeWarning, "GaveUp", "%v", err)
	}
}
