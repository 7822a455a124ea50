//workshop:mutant image-stale-retry
//workshop:fault the GET is outside of the function that is repeated
//workshop:step 4
//workshop:want same stale object
//workshop:want GET belongs inside

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
	deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(deployment.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return c.Name == container })
	if i < 0 {
		return nil, fmt.Errorf("no container %s", container)
	}
	deployment.Spec.Template.Spec.Containers[i].Image = image
	var updated *appsv1.Deployment
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		updated, err = deployments.Update(ctx, deployment, metav1.UpdateOptions{})
		return err
	})
	return updated, err
}
