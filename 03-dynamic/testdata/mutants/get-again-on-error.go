//workshop:mutant get-again-on-error
//workshop:fault a GET that fails is sent again
//workshop:step 2
//workshop:want one request: the caller decides

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

func GetDeployment(ctx context.Context, client dynamic.Interface, namespace, name string) (*appsv1.Deployment, error) {
	resource := appsv1.SchemeGroupVersion.WithResource("deployments")
	var obj *unstructured.Unstructured
	err := retry.OnError(retry.DefaultRetry, func(error) bool { return true }, func() (err error) {
		obj, err = client.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("get deployment %s/%s: %w", namespace, name, err)
	}
	var deployment appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &deployment); err != nil {
		return nil, fmt.Errorf("convert deployment %s/%s: %w", namespace, name, err)
	}
	return &deployment, nil
}
