//workshop:mutant replicas-strategic-patch
//workshop:fault a strategic merge patch of a custom resource
//workshop:step 5
//workshop:want the server has none for a custom resource

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
)

func SetReplicas(ctx context.Context, resource dynamic.ResourceInterface, name string, replicas int) (*unstructured.Unstructured, error) {
	var updated *unstructured.Unstructured
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		obj, err := resource.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedField(obj.Object, int64(replicas), "spec", "replicas"); err != nil {
			return err
		}
		updated, err = resource.Patch(ctx, name, types.StrategicMergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas), metav1.PatchOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("set the replicas of %s to %d: %w", name, replicas, err)
	}
	return updated, nil
}
