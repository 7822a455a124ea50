//workshop:mutant create-from-read
//workshop:fault an object that was read is changed and created: its resourceVersion is still there
//workshop:step 3
//workshop:want the resourceVersion of another

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func CreateDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string, replicas int32, containers []corev1.Container) (*appsv1.Deployment, error) {
	deployment, err := client.AppsV1().Deployments("kube-system").Get(ctx, "coredns", metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	deployment.Name, deployment.Namespace = name, namespace
	deployment.Labels = map[string]string{"app": name}
	deployment.Spec.Replicas = &replicas
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: deployment.Labels}
	deployment.Spec.Template.Labels = deployment.Labels
	deployment.Spec.Template.Spec = corev1.PodSpec{Containers: containers}
	return client.AppsV1().Deployments(namespace).Create(ctx, deployment, metav1.CreateOptions{})
}
