//workshop:accept replicas-in-place
//workshop:why the object of a GET is your own: it may be changed in place, even with a Go int
//workshop:step SetReplicas

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
		spec, ok := obj.Object["spec"].(map[string]any)
		if !ok && obj.Object["spec"] != nil {
			return fmt.Errorf("spec is a %T", obj.Object["spec"])
		}
		if spec == nil {
			spec = map[string]any{}
			obj.Object["spec"] = spec
		}
		spec["replicas"] = replicas
		updated, err = resource.Update(ctx, obj, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("set the replicas of %s to %d: %w", name, replicas, err)
	}
	return updated, nil
}
