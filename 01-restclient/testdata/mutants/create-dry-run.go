//workshop:mutant create-dry-run
//workshop:fault the POST is a dry run
//workshop:step 4
//workshop:want POST is a dry run

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	created := &corev1.Pod{}
	err := client.Post().Namespace(namespace).Resource("pods").Param("dryRun", "All").Body(pod).Do(ctx).Into(created)
	return created, err
}
