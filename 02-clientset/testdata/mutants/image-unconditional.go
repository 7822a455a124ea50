//workshop:mutant image-unconditional
//workshop:fault the resourceVersion is removed so that no conflict comes
//workshop:step 4
//workshop:want carries no resourceVersion
//workshop:want overwrites whatever is there

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
		deployment.ResourceVersion = ""
		updated, err = deployments.Update(ctx, deployment, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("set the image: %w", err)
	}
	return updated, nil
}
