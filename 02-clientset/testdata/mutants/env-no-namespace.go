//workshop:mutant env-no-namespace
//workshop:fault the namespace is empty, which makes a path that the server does not know
//workshop:step 6
//workshop:want the namespace is empty

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
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
		"containers": []any{map[string]any{"name": container, "env": []any{map[string]any{"name": key, "value": value}}}},
	}}}})
	if err != nil {
		return nil, fmt.Errorf("encode the patch: %w", err)
	}
	patched, err := client.AppsV1().Deployments("").Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("patch deployment %s/%s: %w", namespace, name, err)
	}
	return patched, nil
}
