//workshop:mutant env-value-trimmed
//workshop:fault the blanks around the value are lost
//workshop:step 6
//workshop:want an escape character and blanks

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

func SetEnv(ctx context.Context, client kubernetes.Interface, namespace, name, container, key, value string) (*appsv1.Deployment, error) {
	patch, err := json.Marshal(map[string]any{
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
			"containers": []any{map[string]any{
				"name": container,
				"env":  []any{map[string]any{"name": key, "value": strings.TrimSpace(value)}},
			}},
		}}},
	})
	if err != nil {
		return nil, err
	}
	patched, err := client.AppsV1().Deployments(namespace).Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	return patched, nil
}
