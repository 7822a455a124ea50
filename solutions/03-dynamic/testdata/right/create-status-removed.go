//workshop:accept create-status-removed
//workshop:why what the server sets need not be sent
//workshop:step CreateDeployment

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
)

func CreateDeployment(ctx context.Context, client dynamic.Interface, namespace string, deployment *appsv1.Deployment) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(deployment)
	if err != nil {
		return nil, fmt.Errorf("convert deployment %s: %w", deployment.Name, err)
	}
	obj := &unstructured.Unstructured{Object: content}
	unstructured.RemoveNestedField(obj.Object, "status")
	unstructured.RemoveNestedField(obj.Object, "metadata", "creationTimestamp")
	obj.SetNamespace(namespace)
	obj.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))

	resource := appsv1.SchemeGroupVersion.WithResource("deployments")
	created, err := client.Resource(resource).Namespace(namespace).Create(ctx, obj, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create deployment %s/%s: %w", namespace, deployment.Name, err)
	}
	return created, nil
}
