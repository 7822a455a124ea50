//workshop:mutant patch-key-left-out
//workshop:fault the label to remove is left out of the patch
//workshop:step 6
//workshop:want null

package main

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func RelabelPod(ctx context.Context, client rest.Interface, namespace, name, setKey, setValue, removeKey string) (*corev1.Pod, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]any{setKey: setValue}}})
	if err != nil {
		return nil, err
	}
	patched := &corev1.Pod{}
	err = client.Patch(types.MergePatchType).Namespace(namespace).Resource("pods").Name(name).Body(patch).Do(ctx).Into(patched)
	return patched, err
}
