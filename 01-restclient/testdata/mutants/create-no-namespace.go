//workshop:mutant create-no-namespace
//workshop:fault the namespace is empty
//workshop:step 4
//workshop:want an empty namespace
//workshop:want nothing was sent

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	created := &corev1.Pod{}
	err := client.Post().Namespace(pod.Namespace).Resource("pods").Body(pod).Do(ctx).Into(created)
	return created, err
}
