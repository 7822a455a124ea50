//workshop:mutant create-container-fields-lost
//workshop:fault name, image and env of each container are copied, and the rest is lost
//workshop:step 3
//workshop:want as they are

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func CreateDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32, containers []corev1.Container) (*appsv1.Deployment, error) {
	labels := map[string]string{"app": name}
	var copies []corev1.Container
	for _, c := range containers {
		copies = append(copies, corev1.Container{Name: c.Name, Image: c.Image, Env: c.Env})
	}
	created, err := client.AppsV1().Deployments(namespace).Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: copies},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create deployment %s/%s: %w", namespace, name, err)
	}
	return created, nil
}
