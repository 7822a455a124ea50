//workshop:accept sync-always-looks-again
//workshop:why the key may come back after every write that the cache was behind of
//workshop:step syncIngress

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) syncIngress(ctx context.Context, service *corev1.Service, listed, desired *networkingv1.Ingress) error {
	key := cache.MetaObjectToName(service)
	behind := listed == nil
	err := c.reconcile(ctx, service, listed, desired)
	if apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) {
		behind = true
		live, getErr := c.getIngress(ctx, key)
		if getErr != nil {
			return getErr
		}
		err = c.reconcile(ctx, service, live, desired)
	}
	if err == nil && behind && desired != nil {
		c.queue.AddAfter(key, wait.Jitter(lookAgain, 0.5))
	}
	return err
}
