//workshop:mutant replicas-for-ever
//workshop:fault the retries have no end
//workshop:step 5
//workshop:want did not return within

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func SetReplicas(ctx context.Context, resource dynamic.ResourceInterface, name string, replicas int) (*unstructured.Unstructured, error) {
	for {
		obj, err := resource.Get(context.WithoutCancel(ctx), name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get %s: %w", name, err)
		}
		if err := unstructured.SetNestedField(obj.Object, int64(replicas), "spec", "replicas"); err != nil {
			return nil, err
		}
		updated, err := resource.Update(context.WithoutCancel(ctx), obj, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) {
			return updated, err
		}
		time.Sleep(50 * time.Millisecond)
	}
}
