//workshop:mutant delete-timeout-is-success
//workshop:fault the end of ctx is taken for the end of the pod
//workshop:step 7
//workshop:want after ctx had ended
//workshop:want no error

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(&corev1.Pod{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}
