//workshop:accept sync-json-patch
//workshop:why a JSON patch may test the resourceVersion before it writes; a failed test is no conflict and has the key come back
//workshop:step reconcile

package main

import (
	"context"
	"encoding/json"
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (c *Controller) applyIngress(ctx context.Context, existing, desired *networkingv1.Ingress) error {
	patch, err := json.Marshal([]map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": existing.UID},
		{"op": "test", "path": "/metadata/resourceVersion", "value": existing.ResourceVersion},
		{"op": "add", "path": "/spec/rules", "value": desired.Spec.Rules},
	})
	if err != nil {
		return fmt.Errorf("encode a patch: %w", err)
	}
	_, err = c.client.NetworkingV1().Ingresses(desired.Namespace).Patch(ctx, desired.Name, types.JSONPatchType, patch, metav1.PatchOptions{})
	if apierrors.IsInvalid(err) {
		return apierrors.NewConflict(networkingv1.Resource("ingresses"), desired.Name, err)
	}
	return err
}
