//workshop:mutant patch-whole-object
//workshop:fault the whole object goes into the patch
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
	delete(pod.Labels, removeKey)
	pod.Labels[setKey] = setValue
	patch, err := json.Marshal(pod)
	if err != nil {
		return nil, err
	}
	patched := &corev1.Pod{}
	err = client.Patch(types.MergePatchType).Namespace(namespace).Resource("pods").Name(name).Body(patch).Do(ctx).Into(patched)
	return patched, err
}
