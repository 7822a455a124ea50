//workshop:mutant replicas-returns-read
//workshop:fault the object that was read is returned
//workshop:step 5
//workshop:want return what Update returned

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
		if err := unstructured.SetNestedField(obj.Object, int64(replicas), "spec", "replicas"); err != nil {
			return err
		}
		_, err = resource.Update(ctx, obj, metav1.UpdateOptions{})
		updated = obj
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("set the replicas of %s to %d: %w", name, replicas, err)
	}
	return updated, nil
}
