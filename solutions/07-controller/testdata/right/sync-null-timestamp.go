//workshop:accept sync-null-timestamp
//workshop:why a null creationTimestamp, which older releases wrote for every object, says nothing
//workshop:step reconcile

package main

import (
	"context"
	"encoding/json"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) applyIngress(ctx context.Context, existing, desired *networkingv1.Ingress) error {
	spec := map[string]any{"rules": desired.Spec.Rules}
	if desired.Spec.IngressClassName != nil {
		spec["ingressClassName"] = *desired.Spec.IngressClassName
	}
	config, err := json.Marshal(map[string]any{
		"apiVersion": "networking.k8s.io/v1",
		"kind":       "Ingress",
		"metadata": map[string]any{
			"name": desired.Name, "namespace": desired.Namespace, "creationTimestamp": nil,
			"uid": existing.UID, "resourceVersion": existing.ResourceVersion, "ownerReferences": desired.OwnerReferences,
		},
		"spec": spec,
	})
	if err != nil {
		return fmt.Errorf("encode ingress %s: %w", cache.MetaObjectToName(desired), err)
	}
	options := metav1.PatchOptions{FieldManager: fieldManager, Force: new(true)}
	if _, err = c.client.NetworkingV1().Ingresses(desired.Namespace).Patch(ctx, desired.Name, types.ApplyPatchType, config, options); err != nil {
		return fmt.Errorf("apply ingress %s: %w", cache.MetaObjectToName(desired), err)
	}
	return nil
}
