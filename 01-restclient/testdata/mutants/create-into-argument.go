//workshop:mutant create-into-argument
//workshop:fault the answer is decoded into the caller's pod
//workshop:step 4
//workshop:want the caller's pod was changed

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	err := client.Post().Namespace(namespace).Resource("pods").Body(pod).Do(ctx).Into(pod)
	return pod, err
}
