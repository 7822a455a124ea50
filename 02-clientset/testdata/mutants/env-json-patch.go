//workshop:mutant env-json-patch
//workshop:fault a JSON patch by position
//workshop:step 6
//workshop:want finds a container by its position

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
	patch, err := json.Marshal([]map[string]any{{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": map[string]any{"name": key, "value": value}}})
	if err != nil {
		return nil, err
	}
	return client.AppsV1().Deployments(namespace).Patch(ctx, name, types.JSONPatchType, patch, metav1.PatchOptions{})
}
