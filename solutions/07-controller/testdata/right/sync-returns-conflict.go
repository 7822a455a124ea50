//workshop:accept sync-returns-conflict
//workshop:why the error that led to a second look may be joined with that of the look
//workshop:step syncIngress

package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) syncIngress(ctx context.Context, service *corev1.Service, listed, desired *networkingv1.Ingress) error {
	key := cache.MetaObjectToName(service)
	err := c.reconcile(ctx, service, listed, desired)
	if apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) {
		live, getErr := c.getIngress(ctx, key)
		if getErr != nil {
			return fmt.Errorf("look at the ingress of service %s: %w", key, errors.Join(getErr, err))
		}
		err = c.reconcile(ctx, service, live, desired)
	}
	if err == nil && listed == nil && desired != nil {
		c.queue.AddAfter(key, lookAgain)
	}
	return err
}
