//workshop:mutant delete-ignores-context
//workshop:fault the wait does not look at ctx
//workshop:step 7
//workshop:want did not return

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	ctx = context.WithoutCancel(ctx)
	pod := &corev1.Pod{}
	err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	uid := pod.UID
	if err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error(); err != nil {
		return err
	}
	for {
		pod := &corev1.Pod{}
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod)
		if apierrors.IsNotFound(err) || err == nil && pod.UID != uid {
			return nil
		}
		if err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
