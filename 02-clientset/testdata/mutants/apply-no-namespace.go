//workshop:mutant apply-no-namespace
//workshop:fault the namespace is empty in the client, and set in the configuration
//workshop:step 7
//workshop:want the namespace is empty

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/kubernetes"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	config := applyappsv1.Deployment(name, namespace).WithSpec(applyappsv1.DeploymentSpec().WithReplicas(replicas))
	applied, err := client.AppsV1().Deployments("").Apply(ctx, config, metav1.ApplyOptions{FieldManager: manager, Force: force})
	if err != nil {
		return nil, fmt.Errorf("apply deployment %s/%s: %w", namespace, name, err)
	}
	return applied, nil
}
