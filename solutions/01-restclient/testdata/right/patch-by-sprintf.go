//workshop:accept patch-by-sprintf
//workshop:why the patch is written with Sprintf and %q
//workshop:step RelabelPod

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func RelabelPod(ctx context.Context, client rest.Interface, namespace, name, setKey, setValue, removeKey string) (*corev1.Pod, error) {
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q,%q:null}}}`, setKey, setValue, removeKey)
	patched := &corev1.Pod{}
	err := client.Patch(types.MergePatchType).Namespace(namespace).Resource("pods").Name(name).
		Param("fieldManager", "relabel").Body([]byte(patch)).Do(ctx).Into(patched)
	if err != nil {
		return nil, err
	}
	return patched, nil
}
