//workshop:mutant item-give-up-silent
//workshop:fault nobody hears that a key was given up
//workshop:step 6
//workshop:want giving up

package main

import (
	"context"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

func (c *Controller) handleError(ctx context.Context, key cache.ObjectName, err error) {
	logger := klog.FromContext(ctx)
	switch {
	case err == nil:
		c.queue.Forget(key)
	case ctx.Err() != nil:
		logger.V(2).Info("Stopped within a sync", "service", key, "err", err)
	case c.queue.NumRequeues(key) < c.options.MaxRetry:
		logger.Info("Will try again", "service", key, "failures", c.queue.NumRequeues(key)+1, "err", err)
		c.queue.AddRateLimited(key)
	default:
		c.queue.Forget(key)
		utilruntime.HandleErrorWithContext(ctx, err, "Gave up until the next change", "service", key, "retries", c.options.MaxRetry)
	}
}
