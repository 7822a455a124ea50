//workshop:mutant sync-update-from-desired
//workshop:fault an update with what is wanted takes other writers' fields away
//workshop:step 5
//workshop:want lost

package main

import (
	"context"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (c *Controller) applyIngress(ctx context.Context, existing, desired *networkingv1.Ingress) error {
	changed := desired.DeepCopy()
	changed.UID, changed.ResourceVersion = existing.UID, existing.ResourceVersion
	_, err := c.client.NetworkingV1().Ingresses(desired.Namespace).Update(ctx, changed, metav1.UpdateOptions{})
	return err
}
