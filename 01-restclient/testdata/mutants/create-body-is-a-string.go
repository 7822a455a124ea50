//workshop:mutant create-body-is-a-string
//workshop:fault a JSON string is given to Body, which takes it for a file name
//workshop:step 4
//workshop:want name of a file

package main

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

func CreatePod(ctx context.Context, client rest.Interface, namespace string, pod *corev1.Pod) (*corev1.Pod, error) {
	data, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	created := &corev1.Pod{}
	err = client.Post().Namespace(namespace).Resource("pods").Body(string(data)).Do(ctx).Into(created)
	return created, err
}
