//workshop:accept create-json-body
//workshop:why the body is JSON bytes and the answer is decoded by Get
//workshop:step CreatePod

package main

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	data, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	obj, err := client.Post().Namespace(namespace).Resource("pods").
		SetHeader("Content-Type", "application/json").Body(data).Do(ctx).Get()
	if err != nil {
		return nil, err
	}
	created, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, fmt.Errorf("created a %T", obj)
	}
	return created, nil
}
