//workshop:mutant apply-conflict-hidden
//workshop:fault the conflict is wrapped without %w
//workshop:step 7
//workshop:want want an error that is Conflict

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
	config := appsv1apply.Deployment(name, namespace).WithSpec(appsv1apply.DeploymentSpec().WithReplicas(replicas))
	applied, err := client.AppsV1().Deployments(namespace).Apply(ctx, config, metav1.ApplyOptions{FieldManager: manager, Force: force})
	if err != nil {
		return nil, fmt.Errorf("apply: %v", err)
	}
	return applied, nil
}
