//workshop:accept apply-extracted
//workshop:why what the manager owns already is extracted first, and kept
//workshop:step ApplyReplicas

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/kubernetes"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	now, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	config, err := appsv1apply.ExtractDeployment(now, manager)
	if err != nil {
		return nil, err
	}
	if config.Spec == nil {
		config.Spec = appsv1apply.DeploymentSpec()
	}
	config.Spec.WithReplicas(replicas)
	return client.AppsV1().Deployments(namespace).Apply(ctx, config, metav1.ApplyOptions{FieldManager: manager, Force: force})
}
