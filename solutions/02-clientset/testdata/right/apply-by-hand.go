//workshop:accept apply-by-hand
//workshop:why the configuration as JSON by hand, sent by Patch
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
	config := fmt.Appendf(nil, `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":%d}}`, replicas)
	return client.AppsV1().Deployments(namespace).Patch(ctx, name, types.ApplyPatchType, config, metav1.PatchOptions{FieldManager: manager, Force: &force})
}
