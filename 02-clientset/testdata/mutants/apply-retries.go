//workshop:mutant apply-retries
//workshop:fault a conflict of managers is tried again
//workshop:step 7
//workshop:want was sent 5 times
//workshop:want about who owns a field

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	config := appsv1apply.Deployment(name, namespace).WithSpec(appsv1apply.DeploymentSpec().WithReplicas(replicas))
	var applied *appsv1.Deployment
	err := retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
		applied, err = client.AppsV1().Deployments(namespace).Apply(ctx, config, metav1.ApplyOptions{FieldManager: manager, Force: force})
		return err
	})
	return applied, err
}
