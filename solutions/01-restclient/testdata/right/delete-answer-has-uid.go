//workshop:accept delete-answer-has-uid
//workshop:why the UID comes from the answer to DELETE, errors of the GET are repeated until ctx ends
//workshop:step DeletePod

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
	err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(old)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("pod %s is still there: %w", name, ctx.Err())
		case <-tick.C:
		}
		now := &corev1.Pod{}
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(now)
		if apierrors.IsNotFound(err) || err == nil && now.UID != old.UID {
			return nil
		}
	}
}
