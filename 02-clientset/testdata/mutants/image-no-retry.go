//workshop:mutant image-no-retry
//workshop:fault a conflict ends it
//workshop:step 4
//workshop:want a 409 Conflict is not the end

package main

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func SetImage(ctx context.Context, client kubernetes.Interface, namespace, name, container, image string) (*appsv1.Deployment, error) {
	deployments := client.AppsV1().Deployments(namespace)
	deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(deployment.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return c.Name == container })
	if i < 0 {
		return nil, fmt.Errorf("no container %s", container)
	}
	deployment.Spec.Template.Spec.Containers[i].Image = image
	return deployments.Update(ctx, deployment, metav1.UpdateOptions{})
}
