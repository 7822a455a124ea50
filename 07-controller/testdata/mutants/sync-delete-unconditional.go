//workshop:mutant sync-delete-unconditional
//workshop:fault a deletion does not look whose the Ingress is by then
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
	err := c.client.NetworkingV1().Ingresses(existing.Namespace).Delete(ctx, existing.Name, metav1.DeleteOptions{})
	if err != nil {
		return fmt.Errorf("delete ingress %s: %w", cache.MetaObjectToName(existing), err)
	}
	return nil
}
