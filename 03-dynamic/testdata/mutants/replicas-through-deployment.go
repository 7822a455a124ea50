//workshop:mutant replicas-through-deployment
//workshop:fault every object is taken for a Deployment
//workshop:step 5
//workshop:want replaces the whole object

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
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
		var deployment appsv1.Deployment
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &deployment); err != nil {
			return err
		}
		deployment.Spec.Replicas = new(int32(replicas))
		if obj.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(&deployment); err != nil {
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
