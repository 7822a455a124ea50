//workshop:accept patch-from-struct
//workshop:why the patch is built from a struct with pointers
//workshop:step RelabelPod

package main

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func RelabelPod(ctx context.Context, client rest.Interface, namespace, name, setKey, setValue, removeKey string) (*corev1.Pod, error) {
	var patch struct {
		Metadata struct {
			Labels map[string]*string `json:"labels"`
		} `json:"metadata"`
	}
	patch.Metadata.Labels = map[string]*string{setKey: &setValue, removeKey: nil}
	data, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	obj, err := client.Verb("PATCH").SetHeader("Content-Type", string(types.MergePatchType)).
		Namespace(namespace).Resource("pods").Name(name).Body(data).Do(ctx).Get()
	if err != nil {
		return nil, fmt.Errorf("relabel %s: %w", name, err)
	}
	return obj.(*corev1.Pod), nil
}
