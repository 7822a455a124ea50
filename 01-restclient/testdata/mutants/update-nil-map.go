//workshop:mutant update-nil-map
//workshop:fault a nil annotation map is written to
//workshop:step 5
//workshop:want panicked
//workshop:want nil map

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

func AnnotatePod(ctx context.Context, client rest.Interface, namespace, name, key, value string) (*corev1.Pod, error) {
	updated := &corev1.Pod{}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		pod := &corev1.Pod{}
		if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod); err != nil {
			return err
		}
		pod.Annotations[key] = value
		return client.Put().Namespace(namespace).Resource("pods").Name(name).Body(pod).Do(ctx).Into(updated)
	})
	return updated, err
}
