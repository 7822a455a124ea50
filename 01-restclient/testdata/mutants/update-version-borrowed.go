//workshop:mutant update-version-borrowed
//workshop:fault after a conflict the stale pod is sent with the resourceVersion of a fresh one
//workshop:step 5
//workshop:want is lost
//workshop:want fresh resourceVersion and a stale object

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

func AnnotatePod(ctx context.Context, client rest.Interface, namespace, name, key, value string) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod); err != nil {
		return nil, err
	}
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, value)
	updated := &corev1.Pod{}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		fresh := &corev1.Pod{}
		if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(fresh); err != nil {
			return err
		}
		pod.ResourceVersion = fresh.ResourceVersion
		return client.Put().Namespace(namespace).Resource("pods").Name(name).Body(pod).Do(ctx).Into(updated)
	})
	return updated, err
}
