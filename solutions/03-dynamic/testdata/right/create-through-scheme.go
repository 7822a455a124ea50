//workshop:accept create-through-scheme
//workshop:why the scheme knows the kind and sets it
//workshop:step CreateDeployment

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
)

func CreateDeployment(ctx context.Context, client dynamic.Interface, namespace string, deployment *appsv1.Deployment) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	err := scheme.Scheme.Convert(deployment, obj, nil)
	if err != nil {
		return nil, fmt.Errorf("convert deployment %s: %w", deployment.Name, err)
	}

	resource := appsv1.SchemeGroupVersion.WithResource("deployments")
	created, err := client.Resource(resource).Namespace(namespace).Create(ctx, obj, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create deployment %s/%s: %w", namespace, deployment.Name, err)
	}
	return created, nil
}
