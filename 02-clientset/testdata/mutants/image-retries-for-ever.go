//workshop:mutant image-retries-for-ever
//workshop:fault the conflicts are met without an end
//workshop:step 4
//workshop:want did not return within

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func SetImage(ctx context.Context, client kubernetes.Interface, namespace, name, container, image string) (*appsv1.Deployment, error) {
	deployments := client.AppsV1().Deployments(namespace)
	for {
		deployment, err := deployments.Get(context.WithoutCancel(ctx), name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(deployment.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return c.Name == container })
		if i < 0 {
			return nil, fmt.Errorf("no container %s", container)
		}
		deployment.Spec.Template.Spec.Containers[i].Image = image
		updated, err := deployments.Update(context.WithoutCancel(ctx), deployment, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) {
			return updated, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}
