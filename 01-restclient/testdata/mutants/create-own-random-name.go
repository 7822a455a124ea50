//workshop:mutant create-own-random-name
//workshop:fault the client makes up the name that the server should
//workshop:step 4
//workshop:want server picks a free name

package main

import (
	"context"
	"fmt"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"time"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	p := pod.DeepCopy()
	if p.Name == "" {
		p.Name = fmt.Sprintf("%s%d", p.GenerateName, time.Now().Unix())
	}
	created := &corev1.Pod{}
	if err := client.Post().Namespace(namespace).Resource("pods").Body(p).Do(ctx).Into(created); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	return created, nil
}
