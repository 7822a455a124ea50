//workshop:accept replicas-own-loop
//workshop:why a loop of one's own with an end
//workshop:step SetReplicas

package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func SetReplicas(ctx context.Context, resource dynamic.ResourceInterface, name string, replicas int) (*unstructured.Unstructured, error) {
	var last error
	for range 4 {
		obj, err := resource.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get %s: %w", name, err)
		}
		if err := unstructured.SetNestedField(obj.Object, int64(replicas), "spec", "replicas"); err != nil {
			return nil, fmt.Errorf("change %s: %w", name, err)
		}
		updated, err := resource.Update(ctx, obj, metav1.UpdateOptions{})
		if err == nil {
			return updated, nil
		}
		if !apierrors.IsConflict(err) {
			return nil, fmt.Errorf("update %s: %w", name, err)
		}
		last = err
	}
	return nil, fmt.Errorf("update %s: %w", name, last)
}
