//workshop:mutant apply-update
//workshop:fault a full update in place of an apply
//workshop:step 7
//workshop:want is no server-side apply

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	deployment, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	deployment.Spec.Replicas = &replicas
	return client.AppsV1().Deployments(namespace).Update(ctx, deployment, metav1.UpdateOptions{FieldManager: manager})
}
