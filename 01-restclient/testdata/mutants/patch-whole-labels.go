//workshop:mutant patch-whole-labels
//workshop:fault all labels are read and sent back
//workshop:step 6
//workshop:want read first

package main

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func RelabelPod(ctx context.Context, client rest.Interface, namespace, name, setKey, setValue, removeKey string) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	if err := client.Get().Namespace(namespace).Resource("pods").Name(name).Do(ctx).Into(pod); err != nil {
		return nil, err
	}
	labels := map[string]any{removeKey: nil}
	for k, v := range pod.Labels {
		if k != removeKey {
			labels[k] = v
		}
	}
	labels[setKey] = setValue
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels}})
	if err != nil {
		return nil, err
	}
	patched := &corev1.Pod{}
	err = client.Patch(types.MergePatchType).Namespace(namespace).Resource("pods").Name(name).Body(patch).Do(ctx).Into(patched)
	return patched, err
}
