//workshop:mutant update-error-hidden-inside
//workshop:fault the conflict is wrapped with %v inside the function that is repeated
//workshop:step 5
//workshop:want AnnotatePod gave up
//workshop:want %v
//workshop:want RetryOnConflict tries again only

package main

import (
	"context"
	"fmt"

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
		if err := client.Put().Namespace(namespace).Resource("pods").Name(name).Body(pod).Do(ctx).Into(updated); err != nil {
			return fmt.Errorf("put: %v", err)
		}
		return nil
	})
	return updated, err
}
