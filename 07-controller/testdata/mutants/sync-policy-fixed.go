//workshop:mutant sync-policy-fixed
//workshop:fault the functions of steps 1 and 2 are called in place of the policy
//workshop:step 5
//workshop:want field policy

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
)

func (c *Controller) reconcile(ctx context.Context, service *corev1.Service, existing, desired *networkingv1.Ingress) error {
	logger := klog.FromContext(ctx)
	if existing == nil {
		if desired == nil {
			return nil
		}
		logger.V(2).Info("Creating the Ingress", "service", klog.KObj(service))
		return c.createIngress(ctx, desired)
	}
	change, err := NeedsChange(service, existing, desired)
	if err != nil || !change {
		return err
	}
	if desired == nil {
		logger.V(2).Info("Deleting the Ingress", "service", klog.KObj(service))
		if err := c.deleteIngress(ctx, existing); !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	}
	logger.V(2).Info("Putting the Ingress right", "service", klog.KObj(service))
	return c.applyIngress(ctx, existing, desired)
}
