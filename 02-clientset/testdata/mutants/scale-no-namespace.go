//workshop:mutant scale-no-namespace
//workshop:fault the namespace is empty, which makes a path that the server does not know
//workshop:step 5
//workshop:want the namespace is empty

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
	deployments := client.AppsV1().Deployments("")
	var updated *autoscalingv1.Scale
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		scale, err := deployments.GetScale(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
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
