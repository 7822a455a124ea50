//workshop:mutant apply-zero-left-out
//workshop:fault 0 replicas are taken for "not given"
//workshop:step 7
//workshop:want 0 replicas

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/kubernetes"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	spec := appsv1apply.DeploymentSpec()
	if replicas != 0 {
		spec = spec.WithReplicas(replicas)
	}
	applied, err := client.AppsV1().Deployments(namespace).Apply(ctx, appsv1apply.Deployment(name, namespace).WithSpec(spec), metav1.ApplyOptions{FieldManager: manager, Force: force})
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	return applied, nil
}
