//workshop:mutant create-error-dropped
//workshop:fault the error of the request is dropped
//workshop:step 4
//workshop:want returned no error
//workshop:want dropped

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	created := &corev1.Pod{}
	client.Post().Namespace(namespace).Resource("pods").Body(pod).Do(ctx).Into(created)
	return created, nil
}
