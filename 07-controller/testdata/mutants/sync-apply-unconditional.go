//workshop:mutant sync-apply-unconditional
//workshop:fault a write does not look whose the Ingress is by then
//workshop:step 5
//workshop:want conditional

package main

import (
	"context"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingapply "k8s.io/client-go/applyconfigurations/networking/v1"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) applyIngress(ctx context.Context, existing, desired *networkingv1.Ingress) error {
	config := networkingapply.Ingress(desired.Name, desired.Namespace).
		WithSpec(networkingapply.IngressSpec())
	config.Spec.IngressClassName = desired.Spec.IngressClassName
	for _, owner := range desired.OwnerReferences {
		config.WithOwnerReferences(metaapply.OwnerReference().
			WithAPIVersion(owner.APIVersion).WithKind(owner.Kind).WithName(owner.Name).WithUID(owner.UID).WithController(true))
	}
	for _, rule := range desired.Spec.Rules {
		config.Spec.WithRules(ruleConfig(rule))
	}
	// What another manager has set in our fields is what we are here to put right.
	_, err := c.client.NetworkingV1().Ingresses(desired.Namespace).Apply(ctx, config, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	if err != nil {
		return fmt.Errorf("apply ingress %s: %w", cache.MetaObjectToName(desired), err)
	}
	return nil
}
