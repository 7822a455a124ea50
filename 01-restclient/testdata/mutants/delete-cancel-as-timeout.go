//workshop:mutant delete-cancel-as-timeout
//workshop:fault the end of ctx is always reported as a deadline
//workshop:step 7
//workshop:want errors.Is(err, context.Canceled) is false

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
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
	err = wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, gone)
	if ctx.Err() != nil {
		return context.DeadlineExceeded
	}
	return err
}
