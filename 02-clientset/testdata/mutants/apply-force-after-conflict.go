//workshop:mutant apply-force-after-conflict
//workshop:fault a conflict is answered by force
//workshop:step 7
//workshop:want taken by force although the caller did not ask

package main

import (
	"context"

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
		return client.AppsV1().Deployments(namespace).Apply(ctx, config, metav1.ApplyOptions{FieldManager: manager, Force: true})
	}
	return applied, err
}
