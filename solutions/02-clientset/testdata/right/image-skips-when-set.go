//workshop:accept image-skips-when-set
//workshop:why nothing is written when the image is that already; the managed fields are left out
//workshop:step SetImage

package main

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func SetImage(ctx context.Context, client kubernetes.Interface, namespace, name, container, image string) (*appsv1.Deployment, error) {
	deployments := client.AppsV1().Deployments(namespace)
	var last error
	for range 5 {
		old, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get: %w", err)
		}
		d := old.DeepCopy()
		found := false
		for i := range d.Spec.Template.Spec.Containers {
			c := &d.Spec.Template.Spec.Containers[i]
			if c.Name != container {
				continue
			}
			found = true
			if c.Image == image {
				return old, nil
			}
			c.Image = image
		}
		if !found {
			return nil, errors.New("container " + container + " is missing")
		}
		d.ManagedFields = nil
		updated, err := deployments.Update(ctx, d, metav1.UpdateOptions{FieldManager: "me"})
		if err == nil {
			return updated, nil
		}
		if !apierrors.IsConflict(err) {
			return nil, fmt.Errorf("update: %w", err)
		}
		last = err
	}
	return nil, fmt.Errorf("gave up: %w", last)
}
