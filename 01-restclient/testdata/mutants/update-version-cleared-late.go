//workshop:mutant update-version-cleared-late
//workshop:fault after two conflicts the resourceVersion is cleared, so that the third PUT goes through
//workshop:step 5
//workshop:want carries no resourceVersion
//workshop:want somebody wrote

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

func AnnotatePod(ctx context.Context, client rest.Interface, namespace, name, key, value string) (*corev1.Pod, error) {
	tries := 0
	updated := &corev1.Pod{}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		pod := &corev1.Pod{}
		if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod); err != nil {
			return err
		}
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, value)
		if tries++; tries > 2 {
			pod.ResourceVersion = ""
		}
		return client.Put().Namespace(namespace).Resource("pods").Name(name).Body(pod).Do(ctx).Into(updated)
	})
	return updated, err
}
