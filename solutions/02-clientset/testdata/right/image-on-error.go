//workshop:accept image-on-error
//workshop:why retry.OnError with the longer backoff, in two functions
//workshop:step SetImage

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

func SetImage(ctx context.Context, client kubernetes.Interface, namespace, name, container, image string) (*appsv1.Deployment, error) {
	var updated *appsv1.Deployment
	err := retry.OnError(retry.DefaultBackoff, apierrors.IsConflict, func() (err error) {
		updated, err = setImageOnce(ctx, client, namespace, name, container, image)
		return err
	})
	return updated, err
}

func setImageOnce(ctx context.Context, client kubernetes.Interface, namespace, name, container, image string) (*appsv1.Deployment, error) {
	deployment, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	for i, c := range deployment.Spec.Template.Spec.Containers {
		if c.Name == container {
			deployment.Spec.Template.Spec.Containers[i].Image = image
			return client.AppsV1().Deployments(namespace).Update(ctx, deployment, metav1.UpdateOptions{})
		}
	}
	return nil, fmt.Errorf("deployment %s/%s has no container %s", namespace, name, container)
}
