//workshop:accept sync-retry-on-conflict
//workshop:why retry.OnError with two steps is a second look as well
//workshop:step syncService

package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/retry"
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
	listed, err := c.ingresses.Ingresses(key.Namespace).Get(key.Name)
	existing, err := found(listed, err, "read ingress "+key.String())
	if err != nil {
		return err
	}
	known := existing
	tries := 0
	err = retry.OnError(wait.Backoff{Steps: 2}, func(err error) bool { return apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) }, func() error {
		if tries++; tries > 1 {
			if existing, err = c.getIngress(ctx, key); err != nil {
				return err
			}
		}
		return c.reconcile(ctx, service, existing, desired)
	})
	var foreign *ForeignError
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil
	case errors.As(err, &foreign) && desired != nil:
		c.warn(service, "IngressNotOwned", foreign.Error())
		if known == nil {
			// Perhaps it goes before the cache has heard of it: no event would come.
			return fmt.Errorf("sync service %s: %w", key, err)
		}
		return nil
	case err != nil && foreign == nil:
		return fmt.Errorf("sync service %s: %w", key, err)
	case invalid != nil:
		c.warn(service, "InvalidService", invalid.Error())
		return nil
	}
	if known == nil && desired != nil {
		// The same holds for one that we have just made.
		c.queue.AddAfter(key, lookAgain)
	}
	c.warned.forget(key)
	return nil
}
