//workshop:accept sync-loop
//workshop:why a loop of a few tries, each on a fresh read after the first
//workshop:step syncService

package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) syncService(ctx context.Context, key cache.ObjectName) error {
	cached, err := c.services.Services(key.Namespace).Get(key.Name)
	service, err := found(cached, err, "read service "+key.String())
	switch {
	case err != nil:
		return err
	case service == nil:
		c.warned.forget(key)
		return nil
	case service.DeletionTimestamp != nil:
		return nil
	}
	var invalid *InvalidError
	desired, err := c.policy.Desired(service, c.options)
	if err != nil && !errors.As(err, &invalid) {
		return fmt.Errorf("sync service %s: %w", key, err)
	}
	existing, err := c.ingresses.Ingresses(key.Namespace).Get(key.Name)
	if existing, err = found(existing, err, "read ingress "+key.String()); err != nil {
		return err
	}
	known := existing
	for try := range 3 {
		if try > 0 {
			if existing, err = c.getIngress(ctx, key); err != nil {
				break
			}
		}
		err = c.reconcile(ctx, service, existing, desired)
		if !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
			break
		}
	}
	var foreign *ForeignError
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil
	case errors.As(err, &foreign) && desired != nil:
		c.warn(service, "IngressNotOwned", foreign.Error())
		if known == nil {
			c.queue.AddAfter(key, lookAgain)
		}
		return nil
	case err != nil && foreign == nil:
		return fmt.Errorf("sync service %s: %w", key, err)
	case invalid != nil:
		c.warn(service, "InvalidService", invalid.Error())
		return nil
	}
	if known == nil && desired != nil {
		c.queue.AddAfter(key, lookAgain)
	}
	c.warned.forget(key)
	return nil
}
