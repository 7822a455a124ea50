//workshop:mutant patch-dry-run
//workshop:fault the PATCH is a dry run
//workshop:step 6
//workshop:want PATCH is a dry run

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
	pod := &corev1.Pod{}
	return pod, client.Patch(types.MergePatchType).Namespace(namespace).Resource("pods").Name(name).Param("dryRun", "All").Body(patch).Do(ctx).Into(pod)
}
