//workshop:mutant create-returns-argument
//workshop:fault the argument is returned, not the server's object
//workshop:step 4
//workshop:want which no pod in the cluster has
//workshop:want the argument was returned

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	if err := client.Post().Namespace(namespace).Resource("pods").Body(pod).Do(ctx).Error(); err != nil {
		return nil, err
	}
	return pod, nil
}
