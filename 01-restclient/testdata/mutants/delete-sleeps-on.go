//workshop:mutant delete-sleeps-on
//workshop:fault the pause does not look at ctx
//workshop:step 7
//workshop:want after ctx was cancelled
//workshop:want time.Sleep

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
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, time.Minute) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if done, err := gone(ctx); done || err != nil {
			return err
		}
		time.Sleep(pause)
	}
}
