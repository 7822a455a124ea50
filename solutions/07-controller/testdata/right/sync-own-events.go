//workshop:accept sync-own-events
//workshop:why the Event may come before the write, and straight from the recorder, which drops repeats itself
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
	if invalid != nil {
		c.recorder.Eventf(service, corev1.EventTypeWarning, "BadAnnotation", "no ingress: %v", invalid)
	}
	existing, err := c.ingresses.Ingresses(key.Namespace).Get(key.Name)
	if existing, err = found(existing, err, "read ingress "+key.String()); err != nil {
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
		c.recorder.Event(service, corev1.EventTypeWarning, "Taken", foreign.Error())
		if known == nil {
			return fmt.Errorf("sync service %s: %w", key, err)
		}
		return nil
	case err != nil && foreign == nil:
		return fmt.Errorf("sync service %s: %w", key, err)
	case invalid != nil:
		return nil
	}
	if known == nil && desired != nil {
		c.queue.AddAfter(key, wait.Jitter(lookAgain, 0.5))
	}
	c.warned.forget(key)
	return nil
}
