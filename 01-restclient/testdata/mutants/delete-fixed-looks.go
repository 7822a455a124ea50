//workshop:mutant delete-fixed-looks
//workshop:fault the wait ends after a hundred looks
//workshop:step 7
//workshop:want a limit of its own
//workshop:want looks

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	old := &corev1.Pod{}
	err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(old)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error()
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	gone := func(ctx context.Context) (bool, error) {
		now := &corev1.Pod{}
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(now)
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return err == nil && now.UID != old.UID, err
	}
	for range 100 {
		if done, err := gone(ctx); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for pod %s: %w", name, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("pod %s is still there", name)
}
