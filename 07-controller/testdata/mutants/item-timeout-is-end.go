//workshop:mutant item-timeout-is-end
//workshop:fault an error of a deadline of its own is taken for the end of the controller
//workshop:step 6
//workshop:want ctx.Err() knows

package main

import (
	"context"
	"errors"
	"fmt"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

func (c *Controller) handleError(ctx context.Context, key cache.ObjectName, err error) {
	logger := klog.FromContext(ctx)
	switch {
	case err == nil:
		c.queue.Forget(key)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		logger.V(2).Info("Stopped within a sync", "service", key, "err", err)
	case c.queue.NumRequeues(key) < c.options.MaxRetry:
		logger.Info("Will try again", "service", key, "failures", c.queue.NumRequeues(key)+1, "err", err)
		c.queue.AddRateLimited(key)
	default:
		c.queue.Forget(key)
		utilruntime.HandleErrorWithContext(ctx, err, "Gave up until the next change", "service", key, "retries", c.options.MaxRetry)
		if service, missing := c.services.Services(key.Namespace).Get(key.Name); missing == nil {
			c.warn(service, "SyncFailed", fmt.Sprintf("gave up after %d retries, until the next change: %v", c.options.MaxRetry, err))
		}
	}
}
