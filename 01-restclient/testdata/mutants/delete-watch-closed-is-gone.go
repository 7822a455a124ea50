//workshop:mutant delete-watch-closed-is-gone
//workshop:fault a watch that ends counts as the end of the pod
//workshop:step 7
//workshop:want the end of ctx, or of a watch

package main

import (
	"context"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	w, err := client.Get().Namespace(namespace).Resource("pods").VersionedParams(&metav1.ListOptions{Watch: true, FieldSelector: "metadata.name=" + name, ResourceVersion: old.ResourceVersion}, scheme.ParameterCodec).Watch(ctx)
	if err != nil {
		return err
	}
	defer w.Stop()
	if err := client.Delete().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Error(); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	for event := range w.ResultChan() {
		if event.Type == watch.Deleted {
			return nil
		}
	}
	return ctx.Err()
}
