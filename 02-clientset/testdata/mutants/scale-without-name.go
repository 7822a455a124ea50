//workshop:mutant scale-without-name
//workshop:fault the Scale is sent without a name
//workshop:step 5
//workshop:want ScaleDeployment returned an error

package main

import (
	"context"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ScaleDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32) (*autoscalingv1.Scale, error) {
	return client.AppsV1().Deployments(namespace).UpdateScale(ctx, name, &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}, metav1.UpdateOptions{})
}
