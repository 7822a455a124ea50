//workshop:mutant image-stale-then-unconditional
//workshop:fault after a conflict the version is overwritten, and so is what the other wrote
//workshop:step 4
//workshop:want is lost

package main

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	for range 10 {
		updated, err := deployments.Update(ctx, deployment, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) {
			return updated, err
		}
		now, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		deployment.ResourceVersion = now.ResourceVersion
	}
	return nil, apierrors.NewConflict(appsv1.Resource("deployments"), name, fmt.Errorf("give up"))
}
