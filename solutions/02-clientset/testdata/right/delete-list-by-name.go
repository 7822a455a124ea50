//workshop:accept delete-list-by-name
//workshop:why lists with a field selector in place of GETs; the pause grows
//workshop:step DeleteDeployment

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
)

func DeleteDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	deployments := client.AppsV1().Deployments(namespace)
	byName := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()}
	before, err := deployments.List(ctx, byName)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if len(before.Items) == 0 {
		return nil
	}
	uid := before.Items[0].UID
	err = deployments.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground), Preconditions: &metav1.Preconditions{UID: &uid}})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		list, err := deployments.List(ctx, byName)
		if ctx.Err() != nil {
			return fmt.Errorf("wait: %w", ctx.Err())
		}
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		if len(list.Items) == 0 || list.Items[0].UID != uid {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait: %w", ctx.Err())
		case <-time.After(pause):
		}
	}
}
