//workshop:mutant sync-delete-by-uid
//workshop:fault a deletion does not look whether the Ingress has changed hands
//workshop:step 5
//workshop:want conditional

package main

import (
	"context"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) deleteIngress(ctx context.Context, existing *networkingv1.Ingress) error {
	err := c.client.NetworkingV1().Ingresses(existing.Namespace).Delete(ctx, existing.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &existing.UID},
	})
	if err != nil {
		return fmt.Errorf("delete ingress %s: %w", cache.MetaObjectToName(existing), err)
	}
	return nil
}
