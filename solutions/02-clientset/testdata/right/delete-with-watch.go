//workshop:accept delete-with-watch
//workshop:why a watch waits for the end
//workshop:step DeleteDeployment

package main

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

func DeleteDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	deployments := client.AppsV1().Deployments(namespace)
	list, err := deployments.List(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
	if err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return nil
	}
	w, err := deployments.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name, ResourceVersion: list.ResourceVersion}))
	if err != nil {
		return err
	}
	defer w.Stop()
	err = deployments.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground), Preconditions: metav1.NewUIDPreconditions(string(list.Items[0].UID))})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	for event := range w.ResultChan() {
		if event.Type == watch.Deleted {
			return nil
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("watch deployment %s: %w", name, ctx.Err())
	}
	return errors.New("the watch ended early")
}
