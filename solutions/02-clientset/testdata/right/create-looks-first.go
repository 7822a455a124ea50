//workshop:accept create-looks-first
//workshop:why a GET tells first whether the name is taken
//workshop:step CreateDeployment

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func CreateDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32, containers []corev1.Container) (*appsv1.Deployment, error) {
	old, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return nil, fmt.Errorf("deployment of UID %s is there: %w", old.UID, apierrors.NewAlreadyExists(appsv1.Resource("deployments"), name))
	}
	if !apierrors.IsNotFound(err) {
		return nil, err
	}
	labels := map[string]string{"app": name}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: containers},
			},
		},
	}
	return client.AppsV1().Deployments(namespace).Create(ctx, deployment, metav1.CreateOptions{})
}
