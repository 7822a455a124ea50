//workshop:accept scale-unconditional
//workshop:why a Scale built from scratch: it holds the number and nothing else, so nobody's change is lost
//workshop:step ScaleDeployment

package main

import (
	"context"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ScaleDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32) (*autoscalingv1.Scale, error) {
	return client.AppsV1().Deployments(namespace).UpdateScale(ctx, name, &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec:       autoscalingv1.ScaleSpec{Replicas: replicas},
	}, metav1.UpdateOptions{})
}
