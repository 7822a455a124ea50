//workshop:mutant scale-skips-by-status
//workshop:fault nothing is written when so many pods are there
//workshop:step 5
//workshop:want scaled to 0

package main

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

func ScaleDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32) (*autoscalingv1.Scale, error) {
	deployments := client.AppsV1().Deployments(namespace)
	var updated *autoscalingv1.Scale
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		scale, err := deployments.GetScale(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if scale.Status.Replicas == replicas {
			updated = scale
			return nil
		}
		scale.Spec.Replicas = replicas
		updated, err = deployments.UpdateScale(ctx, name, scale, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("scale deployment %s/%s to %d: %w", namespace, name, replicas, err)
	}
	return updated, nil
}
