//workshop:accept delete-with-watch
//workshop:why a watch waits for the end, and each watch begins with a look
//workshop:step DeletePod

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
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
	err = client.Delete().Namespace(namespace).Resource("pods").Name(name).
		Body(metav1.NewPreconditionDeleteOptions(string(old.UID))).Do(ctx).Error()
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	for {
		now := &corev1.Pod{}
		err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(now)
		if apierrors.IsNotFound(err) || err == nil && now.UID != old.UID {
			return nil
		}
		if err != nil {
			return err
		}
		gone, err := watchOnce(ctx, client, now)
		if gone || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("watch pod %s: %w", name, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func watchOnce(ctx context.Context, client rest.Interface, pod *corev1.Pod) (gone bool, err error) {
	w, err := client.Get().Namespace(pod.Namespace).Resource("pods").VersionedParams(&metav1.ListOptions{
		Watch:           true,
		FieldSelector:   fields.OneTermEqualSelector("metadata.name", pod.Name).String(),
		ResourceVersion: pod.ResourceVersion,
	}, scheme.ParameterCodec).Watch(ctx)
	if err != nil {
		return false, err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if is, ok := event.Object.(*corev1.Pod); ok && event.Type == watch.Deleted && is.UID == types.UID(pod.UID) {
			return true, nil
		}
	}
	return false, nil
}
