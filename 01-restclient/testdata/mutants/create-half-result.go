//workshop:mutant create-half-result
//workshop:fault copies only name, UID and spec of the answer
//workshop:step 4
//workshop:want whole object

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
		return nil, fmt.Errorf("create: %w", err)
	}
	out := pod.DeepCopy()
	out.Name, out.UID, out.Spec = created.Name, created.UID, created.Spec
	return out, nil
}
