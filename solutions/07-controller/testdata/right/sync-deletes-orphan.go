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
	service, err := c.serviceLister.Services(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		c.warned.forget(key)
		return c.deleteOrphan(ctx, key)
	}
	if err != nil {
		return fmt.Errorf("sync service %s: %w", key, err)
	}
	if service.DeletionTimestamp != nil {
		return nil
	}
	listed, err := c.ingressLister.Ingresses(key.Namespace).Get(key.Name)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("sync service %s: %w", key, err)
	}
	desired, invalid := DesiredIngress(service, c.options)
	err = c.syncIngress(ctx, service, listed, desired)
	var foreign *ForeignError
	switch {
	case errors.As(err, &foreign) && listed == nil:
		// Its end may bring no event.
		c.queue.AddAfter(key, lookAgain)
		c.warn(service, "IngressNotOwned", foreign.Error())
	case errors.As(err, &foreign):
		c.warn(service, "IngressNotOwned", foreign.Error())
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
	case err != nil:
		return fmt.Errorf("sync service %s: %w", key, err)
	case invalid != nil:
		c.warn(service, "InvalidService", invalid.Error())
	default:
		c.warned.forget(key)
	}
	return nil
}

func (c *Controller) deleteOrphan(ctx context.Context, key cache.ObjectName) error {
	orphan, err := c.ingressLister.Ingresses(key.Namespace).Get(key.Name)
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
}
