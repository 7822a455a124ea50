//workshop:mutant apply-conflict-remade
//workshop:fault a conflict of one's own making does not say whose the field is
//workshop:step 7
//workshop:want which field

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/kubernetes"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	config := appsv1apply.Deployment(name, namespace).WithSpec(appsv1apply.DeploymentSpec().WithReplicas(replicas))
	applied, err := client.AppsV1().Deployments(namespace).Apply(ctx, config, metav1.ApplyOptions{FieldManager: manager, Force: force})
	if apierrors.IsConflict(err) {
		return nil, apierrors.NewConflict(appsv1.Resource("deployments"), name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	return applied, nil
}
