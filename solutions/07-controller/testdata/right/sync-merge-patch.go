//workshop:accept sync-merge-patch
//workshop:why a merge patch may carry uid and resourceVersion
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
		spec["ingressClassName"] = desired.Spec.IngressClassName
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": existing.UID, "resourceVersion": existing.ResourceVersion},
		"spec":     spec,
	})
	if err != nil {
		return fmt.Errorf("encode a patch: %w", err)
	}
	_, err = c.client.NetworkingV1().Ingresses(desired.Namespace).Patch(ctx, desired.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("patch ingress %s: %w", cache.MetaObjectToName(desired), err)
	}
	return nil
}
