//workshop:mutant create-status-lost
//workshop:fault the error is wrapped with %v
//workshop:step 4
//workshop:want wrap the error with %w

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	created := &corev1.Pod{}
	if err := client.Post().Namespace(namespace).Resource("pods").Body(pod).Do(ctx).Into(created); err != nil {
		return nil, fmt.Errorf("create: %v", err)
	}
	return created, nil
}
