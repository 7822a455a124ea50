//workshop:accept create-more-labels
//workshop:why more labels, a selector with an expression, a field manager
//workshop:step CreateDeployment

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func CreateDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32, containers []corev1.Container) (*appsv1.Deployment, error) {
	labels := map[string]string{"app": name, "app.kubernetes.io/managed-by": "workshop"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{name}}}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: containers},
			},
		},
	}
	return client.AppsV1().Deployments(namespace).Create(ctx, deployment, metav1.CreateOptions{FieldManager: "workshop"})
}
