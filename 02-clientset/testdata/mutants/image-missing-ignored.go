//workshop:mutant image-missing-ignored
//workshop:fault a container that is not there is no error
//workshop:step 4
//workshop:want nobody looked

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

func SetImage(ctx context.Context, client kubernetes.Interface, namespace, name, container, image string) (*appsv1.Deployment, error) {
	deployments := client.AppsV1().Deployments(namespace)
	var updated *appsv1.Deployment
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		found := false
		for i := range deployment.Spec.Template.Spec.Containers {
			if c := &deployment.Spec.Template.Spec.Containers[i]; c.Name == container {
				c.Image = image
				found = true
			}
		}
		_ = found
		updated, err = deployments.Update(ctx, deployment, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("set the image: %w", err)
	}
	return updated, nil
}
