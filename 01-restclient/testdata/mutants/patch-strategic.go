//workshop:mutant patch-strategic
//workshop:fault another content type than the task's
//workshop:step 6
//workshop:want Content-Type
//workshop:want types.MergePatchType

package main

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func RelabelPod(ctx context.Context, client rest.Interface, namespace, name, setKey, setValue, removeKey string) (*corev1.Pod, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]any{setKey: setValue, removeKey: nil}}})
	if err != nil {
		return nil, err
	}
	patched := &corev1.Pod{}
	err = client.Patch(types.StrategicMergePatchType).Namespace(namespace).Resource("pods").Name(name).Body(patch).Do(ctx).Into(patched)
	return patched, err
}
