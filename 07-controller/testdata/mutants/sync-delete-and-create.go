//workshop:mutant sync-delete-and-create
//workshop:fault an Ingress that differs is made anew
//workshop:step 5
//workshop:want lost

package main

import (
	"context"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (c *Controller) applyIngress(ctx context.Context, existing, desired *networkingv1.Ingress) error {
	bare := existing.DeepCopy()
	bare.Labels, bare.Annotations, bare.Finalizers, bare.Spec = nil, nil, nil, desired.Spec
	_, err := c.client.NetworkingV1().Ingresses(desired.Namespace).Update(ctx, bare, metav1.UpdateOptions{})
	return err
}
