//workshop:accept sync-loop
//workshop:why a loop of a few tries, each on a fresh read after the first
//workshop:step syncIngress

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) syncIngress(ctx context.Context, service *corev1.Service, listed, desired *networkingv1.Ingress) error {
	key := cache.MetaObjectToName(service)
	existing := listed
	var err error
	for try := range 3 {
		if try > 0 {
			if existing, err = c.getIngress(ctx, key); err != nil {
				return err
			}
		}
		err = c.reconcile(ctx, service, existing, desired)
		if !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
			break
		}
	}
	if err == nil && listed == nil && desired != nil {
		c.queue.AddAfter(key, lookAgain)
	}
	return err
}
