//workshop:mutant update-dry-run
//workshop:fault the PUT is a dry run
//workshop:step 5
//workshop:want PUT is a dry run

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
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		pod := &corev1.Pod{}
		if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod); err != nil {
			return err
		}
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, value)
		return client.Put().Namespace(namespace).Resource("pods").Name(name).Param("dryRun", "All").Body(pod).Do(ctx).Into(updated)
	})
	return updated, err
}
