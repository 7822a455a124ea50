//workshop:mutant apply-read-object
//workshop:fault the object that was read is applied, with its managedFields and without its kind
//workshop:step 7
//workshop:want kind and apiVersion are empty in a typed object

package main

import (
	"context"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	deployment, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	deployment.Spec.Replicas = &replicas
	data, err := json.Marshal(deployment)
	if err != nil {
		return nil, err
	}
	return client.AppsV1().Deployments(namespace).Patch(ctx, name, types.ApplyPatchType, data, metav1.PatchOptions{FieldManager: manager, Force: &force})
}
