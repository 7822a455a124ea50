//workshop:accept handle-err-returns
//workshop:why the cases may return one by one, and the Service be read before
//workshop:step handleErr

package main

import (
	"context"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) handleErr(ctx context.Context, err error, key cache.ObjectName) {
	if err == nil {
		c.queue.Forget(key)
		return
	}
	if ctx.Err() != nil {
		return
	}
	service, missing := c.serviceLister.Services(key.Namespace).Get(key.Name)
	if c.queue.NumRequeues(key) < c.options.MaxRetry {
		c.queue.AddRateLimited(key)
		return
	}
	defer c.queue.Forget(key)
	utilruntime.HandleErrorWithContext(ctx, err, "Gave up", "service", key)
	if missing == nil {
		c.warn(service, "GaveUp", err.Error())
	}
}
