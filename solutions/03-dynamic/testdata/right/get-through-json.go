//workshop:accept get-through-json
//workshop:why JSON is another way from a map to a struct
//workshop:step GetDeployment

package main

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

func GetDeployment(ctx context.Context, client dynamic.Interface, namespace, name string) (*appsv1.Deployment, error) {
	resource := appsv1.SchemeGroupVersion.WithResource("deployments")
	obj, err := client.Resource(resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get deployment %s/%s: %w", namespace, name, err)
	}
	var deployment appsv1.Deployment
	data, err := obj.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode deployment %s/%s: %w", namespace, name, err)
	}
	if err := json.Unmarshal(data, &deployment); err != nil {
		return nil, fmt.Errorf("convert deployment %s/%s: %w", namespace, name, err)
	}
	return &deployment, nil
}
