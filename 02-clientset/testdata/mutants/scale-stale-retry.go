//workshop:mutant scale-stale-retry
//workshop:fault the Scale is read once
//workshop:step 5
//workshop:want GET belongs inside

package main

import (
	"context"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

func ScaleDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32) (*autoscalingv1.Scale, error) {
	deployments := client.AppsV1().Deployments(namespace)
	scale, err := deployments.GetScale(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	scale.Spec.Replicas = replicas
	var updated *autoscalingv1.Scale
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		updated, err = deployments.UpdateScale(ctx, name, scale, metav1.UpdateOptions{})
		return err
	})
	return updated, err
}
