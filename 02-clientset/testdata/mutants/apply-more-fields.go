//workshop:mutant apply-more-fields
//workshop:fault the configuration names labels and containers too
//workshop:step 7
//workshop:want want spec.replicas alone

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	labels := map[string]string{"app": name}
	config := appsv1apply.Deployment(name, namespace).
		WithLabels(labels).
		WithSpec(appsv1apply.DeploymentSpec().
			WithReplicas(replicas).
			WithSelector(metav1apply.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(corev1apply.PodTemplateSpec().WithLabels(labels).WithSpec(corev1apply.PodSpec().WithContainers(
				corev1apply.Container().WithName("web").WithImage("registry.k8s.io/pause:3.10"),
				corev1apply.Container().WithName("log").WithImage("registry.k8s.io/pause:3.10"),
			))))
	return client.AppsV1().Deployments(namespace).Apply(ctx, config, metav1.ApplyOptions{FieldManager: manager, Force: force})
}
