//workshop:accept env-null-timestamp
//workshop:why a null creationTimestamp in the template, which older releases wrote for every object, says nothing
//workshop:step SetEnv

package main

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

func SetEnv(ctx context.Context, client kubernetes.Interface, namespace, name, container, key, value string) (*appsv1.Deployment, error) {
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{
		"metadata": map[string]any{"creationTimestamp": nil},
		"spec": map[string]any{
			"containers": []any{map[string]any{"name": container, "env": []any{map[string]any{"name": key, "value": value}}}},
		},
	}}})
	if err != nil {
		return nil, fmt.Errorf("encode the patch: %w", err)
	}
	return client.AppsV1().Deployments(namespace).Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
}
