//workshop:accept image-own-loop
//workshop:why a bounded loop of one's own in place of RetryOnConflict
//workshop:step SetImage

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
	var last error
	for try := range 8 {
		deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get: %w", err)
		}
		i := slices.IndexFunc(deployment.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return c.Name == container })
		if i < 0 {
			return nil, fmt.Errorf("no container %s", container)
		}
		changed := deployment.DeepCopy()
		changed.Spec.Template.Spec.Containers[i].Image = image
		updated, err := deployments.Update(ctx, changed, metav1.UpdateOptions{FieldManager: "workshop"})
		if err == nil {
			return updated, nil
		}
		if !apierrors.IsConflict(err) {
			return nil, err
		}
		last = err
		time.Sleep(time.Duration(try) * 10 * time.Millisecond)
	}
	return nil, fmt.Errorf("give up: %w", last)
}
