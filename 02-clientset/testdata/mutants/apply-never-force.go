//workshop:mutant apply-never-force
//workshop:fault force is not handed on
//workshop:step 7
//workshop:want with force, ApplyReplicas returned an error

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/kubernetes"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	config := appsv1apply.Deployment(name, namespace).WithSpec(appsv1apply.DeploymentSpec().WithReplicas(replicas))
	return client.AppsV1().Deployments(namespace).Apply(ctx, config, metav1.ApplyOptions{FieldManager: manager})
}
