//workshop:mutant patch-more-metadata
//workshop:fault the patch names apiVersion, kind, name and an annotation as well
//workshop:step 6
//workshop:want name what you change

package main

import (
	"context"
	"encoding/json"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func RelabelPod(ctx context.Context, client rest.Interface, namespace, name, setKey, setValue, removeKey string) (*corev1.Pod, error) {
	patch, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{
		"name": name, "namespace": namespace, "annotations": map[string]any{"workshop.example.com/changed-by": "me"},
		"labels": map[string]any{setKey: setValue, removeKey: nil}}})
	if err != nil {
		return nil, err
	}
	out := &corev1.Pod{}
	err = client.Patch(types.MergePatchType).Namespace(namespace).Resource("pods").Name(name).Body(patch).Do(ctx).Into(out)
	return out, err
}
