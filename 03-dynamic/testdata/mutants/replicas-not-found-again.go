//workshop:mutant replicas-not-found-again
//workshop:fault a GET that finds nothing is sent again
//workshop:step 5
//workshop:want a GET that was answered with 404 was sent again

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
	err := retry.OnError(retry.DefaultRetry, func(err error) bool { return apierrors.IsConflict(err) || apierrors.IsNotFound(err) }, func() error {
		obj, err := resource.Get(ctx, name, metav1.GetOptions{})
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
