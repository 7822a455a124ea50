//workshop:accept update-fresh-after-conflict
//workshop:why the first GET is outside, a fresh one follows each conflict
//workshop:step AnnotatePod

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

func AnnotatePod(ctx context.Context, client rest.Interface, namespace, name, key, value string) (*corev1.Pod, error) {
	get := func() (*corev1.Pod, error) {
		pod := &corev1.Pod{}
		return pod, client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod)
	}
	pod, err := get()
	if err != nil {
		return nil, err
	}
	updated := &corev1.Pod{}
	err = retry.OnError(retry.DefaultBackoff, apierrors.IsConflict, func() error {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, value)
		err := client.Put().Namespace(namespace).Resource("pods").Name(name).Body(pod).Do(ctx).Into(updated)
		if apierrors.IsConflict(err) {
			fresh, getErr := get()
			if getErr != nil {
				return getErr
			}
			pod = fresh
		}
		return err
	})
	return updated, err
}
