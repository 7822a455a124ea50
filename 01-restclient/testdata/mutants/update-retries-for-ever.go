//workshop:mutant update-retries-for-ever
//workshop:fault a conflict is repeated without an end
//workshop:step 5
//workshop:want did not return

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

func AnnotatePod(ctx context.Context, client rest.Interface, namespace, name, key, value string) (*corev1.Pod, error) {
	for {
		pod, updated := &corev1.Pod{}, &corev1.Pod{}
		if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(context.Background()).Into(pod); err != nil {
			return nil, err
		}
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, key, value)
		err := client.Put().Namespace(namespace).Resource("pods").Name(name).Body(pod).Do(context.Background()).Into(updated)
		if !apierrors.IsConflict(err) {
			return updated, err
		}
	}
}
