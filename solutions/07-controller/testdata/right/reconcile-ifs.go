//workshop:accept reconcile-ifs
//workshop:why each action may have an if of its own, and the error may be wrapped
//workshop:step reconcile

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func (c *Controller) reconcile(ctx context.Context, service *corev1.Service, existing, desired *networkingv1.Ingress) error {
	next, err := decide(service, existing, desired)
	if err != nil {
		return fmt.Errorf("reconcile the ingress of %s: %w", service.Name, err)
	}
	if next == actionCreate {
		err = c.createIngress(ctx, desired)
	}
	if next == actionApply {
		err = c.applyIngress(ctx, existing, desired)
	}
	if next == actionDelete {
		err = c.deleteIngress(ctx, existing)
		if apierrors.IsNotFound(err) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("%s the ingress of %s: %w", next, service.Name, err)
	}
	return nil
}
