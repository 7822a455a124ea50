//workshop:mutant scale-looks-at-deployment
//workshop:fault the Deployment is read beside the Scale
//workshop:step 5
//workshop:want does not go to the scale subresource
//workshop:want the right to change all of it

package main

import (
	"context"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

func ScaleDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32) (*autoscalingv1.Scale, error) {
	if _, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
		return nil, err
	}
	deployments := client.AppsV1().Deployments(namespace)
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
	return updated, err
}
