//workshop:mutant create-result-shared
//workshop:fault all calls return a pointer to one variable
//workshop:step 4
//workshop:want pointer to the same pod

package main

import (
	"context"
	"fmt"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

var sharedCreated corev1.Pod

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	if err := client.Post().Namespace(namespace).Resource("pods").Body(pod).Do(ctx).Into(&sharedCreated); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	return &sharedCreated, nil
}
