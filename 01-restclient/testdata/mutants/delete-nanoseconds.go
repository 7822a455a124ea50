//workshop:mutant delete-nanoseconds
//workshop:fault the pause is two hundred nanoseconds
//workshop:step 7
//workshop:want without a pause
//workshop:want 200*time.Millisecond

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

func DeletePod(ctx context.Context, client rest.Interface, namespace, name string) error {
	old := &corev1.Pod{}
	err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(old)
	if apierrors.IsNotFound(err) {
		return nil
	}
	for err == nil {
		now := &corev1.Pod{}
		err = client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(now)
		if apierrors.IsNotFound(err) || err == nil && now.UID != old.UID {
			return nil
		}
		time.Sleep(200)
	}
	return err
}
