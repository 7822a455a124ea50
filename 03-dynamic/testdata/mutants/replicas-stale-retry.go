//workshop:mutant replicas-stale-retry
//workshop:fault the GET stands outside of the retry
//workshop:step 5
//workshop:want the GET belongs inside

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
	obj, err := resource.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", name, err)
	}
	if err := unstructured.SetNestedField(obj.Object, int64(replicas), "spec", "replicas"); err != nil {
		return nil, err
	}
	var updated *unstructured.Unstructured
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		updated, err = resource.Update(ctx, obj, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("update %s: %w", name, err)
	}
	return updated, nil
}
