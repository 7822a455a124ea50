//workshop:mutant replicas-old-over-new
//workshop:fault only the resourceVersion is taken over at a conflict
//workshop:step 5
//workshop:want written over a newer one

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
	obj, err := resource.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", name, err)
	}
	if err := unstructured.SetNestedField(obj.Object, int64(replicas), "spec", "replicas"); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		updated, err := resource.Update(ctx, obj, metav1.UpdateOptions{})
		if err == nil {
			return updated, nil
		}
		if !apierrors.IsConflict(err) || try == 5 {
			return nil, fmt.Errorf("update %s: %w", name, err)
		}
		now, err := resource.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get %s: %w", name, err)
		}
		obj.SetResourceVersion(now.GetResourceVersion())
	}
}
