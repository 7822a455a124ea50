//workshop:accept create-through-json
//workshop:why JSON is another way from a struct to a map
//workshop:step CreateDeployment

package main

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func CreateDeployment(ctx context.Context, client dynamic.Interface, namespace string, deployment *appsv1.Deployment) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(deployment)
	if err != nil {
		return nil, fmt.Errorf("convert deployment %s: %w", deployment.Name, err)
	}
	obj := &unstructured.Unstructured{}
	if err := json.Unmarshal(data, &obj.Object); err != nil {
		return nil, fmt.Errorf("decode deployment %s: %w", deployment.Name, err)
	}
	obj.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))

	resource := appsv1.SchemeGroupVersion.WithResource("deployments")
	created, err := client.Resource(resource).Namespace(namespace).Create(ctx, obj, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create deployment %s/%s: %w", namespace, deployment.Name, err)
	}
	return created, nil
}
