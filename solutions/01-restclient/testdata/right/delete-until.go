//workshop:accept delete-until
//workshop:why a watch that opens itself again waits for the end
//workshop:step DeletePod

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
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
	lw := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
		opts.Watch = true
		opts.FieldSelector = "metadata.name=" + name
		return client.Get().Namespace(namespace).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Watch(ctx)
	}}
	_, err = watchtools.Until(ctx, old.ResourceVersion, lw, func(event watch.Event) (bool, error) {
		return event.Type == watch.Deleted, nil
	})
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("wait for pod %s: %w", name, err)
	}
	return nil
}
