//workshop:mutant replicas-missing-created
//workshop:fault an object that is not there is created
//workshop:step 5
//workshop:want create nothing

package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
)

func SetReplicas(ctx context.Context, resource dynamic.ResourceInterface, name string, replicas int) (*unstructured.Unstructured, error) {
	var updated *unstructured.Unstructured
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		obj, err := resource.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			list, err := resource.List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			obj := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": name}, "spec": map[string]any{"replicas": int64(replicas)}}}
			obj.SetAPIVersion(list.GetAPIVersion())
			obj.SetKind("Website")
			updated, err = resource.Create(ctx, obj, metav1.CreateOptions{})
			return err
		}
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedField(obj.Object, int64(replicas), "spec", "replicas"); err != nil {
			return err
		}
		updated, err = resource.Update(ctx, obj, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("set the replicas of %s to %d: %w", name, replicas, err)
	}
	return updated, nil
}
