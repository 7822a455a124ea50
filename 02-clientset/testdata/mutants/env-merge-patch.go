//workshop:mutant env-merge-patch
//workshop:fault a JSON merge patch replaces the list of containers
//workshop:step 6
//workshop:want a JSON merge patch replaces a list as a whole

package main

import (
	"context"
	"encoding/json"

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
		return nil, err
	}
	return client.AppsV1().Deployments(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
}
