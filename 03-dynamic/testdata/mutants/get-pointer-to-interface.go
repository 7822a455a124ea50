//workshop:mutant get-pointer-to-interface
//workshop:fault the converter is given a pointer to an interface
//workshop:step 2
//workshop:want a pointer to an interface

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
)

func GetDeployment(ctx context.Context, client dynamic.Interface, namespace, name string) (*appsv1.Deployment, error) {
	resource := appsv1.SchemeGroupVersion.WithResource("deployments")
	obj, err := client.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get deployment %s/%s: %w", namespace, name, err)
	}
	var deployment any
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &deployment); err != nil {
		return nil, fmt.Errorf("convert deployment %s/%s: %w", namespace, name, err)
	}
	typed, ok := deployment.(*appsv1.Deployment)
	if !ok {
		return nil, fmt.Errorf("deployment %s/%s is a %T", namespace, name, deployment)
	}
	return typed, nil
}
