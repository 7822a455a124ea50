//workshop:mutant delete-timestamp-is-gone
//workshop:fault a deletionTimestamp is taken for the end
//workshop:step 7
//workshop:want accepted DELETE is not the end

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
	for {
		pod := &corev1.Pod{}
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod)
		if apierrors.IsNotFound(err) || err == nil && pod.DeletionTimestamp != nil {
			return nil
		}
		if err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
