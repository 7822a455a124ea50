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
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) syncService(ctx context.Context, key cache.ObjectName) error {
	service, err := c.serviceLister.Services(key.Namespace).Get(key.Name)
	if apierrors.IsNotFound(err) {
		c.warned.forget(key)
		return nil
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
	if invalid != nil {
		c.recorder.Eventf(service, corev1.EventTypeWarning, "BadAnnotation", "no ingress: %v", invalid)
	}
	err = c.syncIngress(ctx, service, listed, desired)
	var foreign *ForeignError
	if errors.As(err, &foreign) {
		c.recorder.Event(service, corev1.EventTypeWarning, "Taken", foreign.Error())
		if listed != nil {
			return nil
		}
	}
	if err == nil || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return nil
	}
	return fmt.Errorf("sync service %s: %w", key, err)
}
