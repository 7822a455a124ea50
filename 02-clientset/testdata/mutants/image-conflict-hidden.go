//workshop:mutant image-conflict-hidden
//workshop:fault the conflict is hidden from RetryOnConflict by an error of another kind
//workshop:step 4
//workshop:want a 409 Conflict is not the end

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
		if !found {
			return fmt.Errorf("no container %s", container)
		}
		updated, err = deployments.Update(ctx, deployment, metav1.UpdateOptions{})
		if err != nil {
			return fmt.Errorf("update: %v", err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("set the image: %w", err)
	}
	return updated, nil
}
