//workshop:mutant create-by-hand
//workshop:fault a few fields are taken over by hand
//workshop:step 4
//workshop:want not every field came over

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func CreateDeployment(ctx context.Context, client dynamic.Interface, namespace string, deployment *appsv1.Deployment) (*unstructured.Unstructured, error) {
	labels := map[string]any{}
	for key, value := range deployment.Spec.Selector.MatchLabels {
		labels[key] = value
	}
	var containers []any
	for _, container := range deployment.Spec.Template.Spec.Containers {
		containers = append(containers, map[string]any{"name": container.Name, "image": container.Image})
	}
	obj := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": deployment.Name, "generateName": deployment.GenerateName, "labels": labels},
		"spec": map[string]any{
			"replicas": int64(*deployment.Spec.Replicas),
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": containers, "schedulerName": deployment.Spec.Template.Spec.SchedulerName},
			},
		},
	}}
	obj.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))

	resource := appsv1.SchemeGroupVersion.WithResource("deployments")
	created, err := client.Resource(resource).Namespace(namespace).Create(ctx, obj, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create deployment %s/%s: %w", namespace, deployment.Name, err)
	}
	return created, nil
}
