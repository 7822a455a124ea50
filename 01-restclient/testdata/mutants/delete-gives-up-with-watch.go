//workshop:mutant delete-gives-up-with-watch
//workshop:fault a watch that the server closes is an error and the end of the wait
//workshop:step 7
//workshop:want a watch that ends before ctx is opened again

package main

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
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
	w, err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(&metav1.ListOptions{
		Watch:           true,
		FieldSelector:   fields.OneTermEqualSelector("metadata.name", name).String(),
		ResourceVersion: old.ResourceVersion,
	}, scheme.ParameterCodec).Watch(ctx)
	if err != nil {
		return err
	}
	defer w.Stop()
	err = client.Delete().Namespace(namespace).Resource("pods").Name(name).
		Body(metav1.NewPreconditionDeleteOptions(string(old.UID))).Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("watch pod %s: %w", name, ctx.Err())
		case event, ok := <-w.ResultChan():
			if !ok {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return errors.New("the watch ended early")
			}
			if pod, is := event.Object.(*corev1.Pod); is && event.Type == watch.Deleted && pod.UID == old.UID {
				return nil
			}
		}
	}
}
