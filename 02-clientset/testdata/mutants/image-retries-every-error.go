//workshop:mutant image-retries-every-error
//workshop:fault every error is tried again
//workshop:step 4
//workshop:want only a 409 Conflict is worth another try

package main

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

func SetImage(ctx context.Context, client kubernetes.Interface, namespace, name, container, image string) (*appsv1.Deployment, error) {
	deployments := client.AppsV1().Deployments(namespace)
	var updated *appsv1.Deployment
	err := retry.OnError(retry.DefaultRetry, func(error) bool { return true }, func() error {
		deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		containers := deployment.Spec.Template.Spec.Containers
		i := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == container })
		if i < 0 {
			return fmt.Errorf("no container is called %q", container)
		}
		containers[i].Image = image
		updated, err = deployments.Update(ctx, deployment, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("set the image of deployment %s/%s: %w", namespace, name, err)
	}
	return updated, nil
}
