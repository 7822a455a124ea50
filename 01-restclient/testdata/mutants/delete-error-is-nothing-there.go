//workshop:mutant delete-error-is-nothing-there
//workshop:fault any error of the DELETE means that there is nothing to delete
//workshop:step 7
//workshop:want an error was taken for

package main

import (
	"context"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"time"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	pod := &corev1.Pod{}
	if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	if err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error(); err != nil {
		return nil // nothing to delete
	}
	return wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		now := &corev1.Pod{}
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(now)
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return err == nil && now.UID != pod.UID, err
	})
}
