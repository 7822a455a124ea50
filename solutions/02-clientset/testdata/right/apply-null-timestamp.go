//workshop:accept apply-null-timestamp
//workshop:why a null creationTimestamp, which older releases wrote for every object, says nothing
//workshop:step ApplyReplicas

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	config := fmt.Appendf(nil, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q,"namespace":%q,"creationTimestamp":null},"spec":{"replicas":%d}}`, name, namespace, replicas)
	applied, err := client.AppsV1().Deployments(namespace).Patch(ctx, name, types.ApplyPatchType, config, metav1.PatchOptions{FieldManager: manager, Force: &force})
	if err != nil {
		return nil, fmt.Errorf("apply replicas %d to deployment %s/%s: %w", replicas, namespace, name, err)
	}
	return applied, nil
}
