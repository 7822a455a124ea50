//workshop:mutant env-go-quoted
//workshop:fault the value is quoted as Go does, which is not quite JSON
//workshop:step 6
//workshop:want not JSON

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

func SetEnv(ctx context.Context, client kubernetes.Interface, namespace, name, container, key, value string) (*appsv1.Deployment, error) {
	patch := fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":%q,"env":[{"name":%q,"value":%q}]}]}}}}`, container, key, value)
	patched, err := client.AppsV1().Deployments(namespace).Patch(ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	return patched, nil
}
