//workshop:mutant create-context-ignored
//workshop:fault the context of the caller is not used
//workshop:step 4
//workshop:want ctx is not handed on

package main

import (
	"context"
	"fmt"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	created := &corev1.Pod{}
	if err := client.Post().Namespace(namespace).Resource("pods").Body(pod).Do(context.Background()).Into(created); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	return created, nil
}
