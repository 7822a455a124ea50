//workshop:accept sync-deletes-orphan
//workshop:why the Ingress of a Service that is gone may be deleted by hand, besides the garbage collector
//workshop:step syncService

package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		orphan, err := c.ingresses.Ingresses(key.Namespace).Get(key.Name)
		if err != nil {
			return nil
		}
		owner := metav1.GetControllerOf(orphan)
		if owner == nil || !isService(owner) || owner.Name != key.Name {
			return nil
		}
		if _, err := c.client.CoreV1().Services(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return err
		}
		if err := c.deleteIngress(ctx, orphan); !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return err
		}
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
	err = c.reconcile(ctx, service, existing, desired)
	if apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) {
		if existing, err = c.getIngress(ctx, key); err == nil {
			err = c.reconcile(ctx, service, existing, desired)
		}
	}
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
