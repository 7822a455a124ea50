//workshop:mutant image-from-scratch
//workshop:fault the Deployment is built anew and sent without a resourceVersion
//workshop:step 4
//workshop:want the containers

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func SetImage(ctx context.Context, client kubernetes.Interface, namespace, name, container, image string) (*appsv1.Deployment, error) {
	labels := map[string]string{"app": name}
	return client.AppsV1().Deployments(namespace).Update(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: container, Image: image}}},
			},
		},
	}, metav1.UpdateOptions{})
}
