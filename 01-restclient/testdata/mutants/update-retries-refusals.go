//workshop:mutant update-retries-refusals
//workshop:fault a PUT is repeated after any error
//workshop:step 5
//workshop:want 403
//workshop:want it was repeated
//workshop:want only a conflict

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

func AnnotatePod(ctx context.Context, client rest.Interface, namespace, name, key, value string) (*corev1.Pod, error) {
	updated := &corev1.Pod{}
	err := retry.OnError(retry.DefaultRetry, func(error) bool { return true }, func() error {
		pod := &corev1.Pod{}
		if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod); err != nil {
			return err
		}
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, value)
		return client.Put().Namespace(namespace).Resource("pods").Name(name).Body(pod).Do(ctx).Into(updated)
	})
	return updated, err
}
