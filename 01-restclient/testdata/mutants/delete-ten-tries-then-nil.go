//workshop:mutant delete-ten-tries-then-nil
//workshop:fault after ten looks the pod counts as gone
//workshop:step 7
//workshop:want accepted DELETE is not the end

package main

import (
	"context"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	if err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error(); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	for range 10 {
		now := &corev1.Pod{}
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(now)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if now.UID != pod.UID {
			return nil
		}
		time.Sleep(500 * time.Millisecond)
	}
	return nil
}
