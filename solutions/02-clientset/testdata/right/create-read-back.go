//workshop:accept create-read-back
//workshop:why an object decoded from JSON is created, and read back
//workshop:step CreateDeployment

package main

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func CreateDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32, containers []corev1.Container) (*appsv1.Deployment, error) {
	text, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"name": name, "namespace": namespace, "labels": map[string]string{"app": name}},
		"spec": map[string]any{
			"replicas": replicas,
			"selector": map[string]any{"matchLabels": map[string]string{"app": name}},
			"template": map[string]any{"metadata": map[string]any{"labels": map[string]string{"app": name}}, "spec": map[string]any{"containers": containers}},
		},
	})
	if err != nil {
		return nil, err
	}
	var d appsv1.Deployment
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	if _, err := client.AppsV1().Deployments(namespace).Create(ctx, &d, metav1.CreateOptions{FieldValidation: "Strict"}); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	return client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
}
