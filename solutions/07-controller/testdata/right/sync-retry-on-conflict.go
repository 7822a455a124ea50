//workshop:accept sync-retry-on-conflict
//workshop:why retry.OnError with two steps is a second look as well
//workshop:step syncIngress

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
)

func (c *Controller) syncIngress(ctx context.Context, service *corev1.Service, listed, desired *networkingv1.Ingress) error {
	key := cache.MetaObjectToName(service)
	existing, tries := listed, 0
	stale := func(err error) bool { return apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) }
	err := retry.OnError(wait.Backoff{Steps: 2}, stale, func() (err error) {
		if tries++; tries > 1 {
			if existing, err = c.getIngress(ctx, key); err != nil {
				return err
			}
		}
		return c.reconcile(ctx, service, existing, desired)
	})
	if err == nil && listed == nil && desired != nil {
		c.queue.AddAfter(key, lookAgain)
	}
	return err
}
