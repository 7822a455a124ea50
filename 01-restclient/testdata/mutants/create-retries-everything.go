//workshop:mutant create-retries-everything
//workshop:fault posts again after every error, also a lost answer
//workshop:step 4
//workshop:want the POST was repeated

package main

import (
	"context"
	"fmt"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	created := &corev1.Pod{}
	err := retry.OnError(retry.DefaultRetry, func(error) bool { return true }, func() error {
		return client.Post().Namespace(namespace).Resource("pods").Body(pod).Do(ctx).Into(created)
	})
	if err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	return created, nil
}
