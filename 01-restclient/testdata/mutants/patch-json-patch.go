//workshop:mutant patch-json-patch
//workshop:fault a JSON patch whose remove fails when the label is not there
//workshop:step 6
//workshop:want Content-Type

package main

import (
	"context"
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func RelabelPod(ctx context.Context, client rest.Interface, namespace, name, setKey, setValue, removeKey string) (*corev1.Pod, error) {
	escape := strings.NewReplacer("~", "~0", "/", "~1").Replace
	patch, err := json.Marshal([]map[string]any{
		{"op": "add", "path": "/metadata/labels/" + escape(setKey), "value": setValue},
		{"op": "remove", "path": "/metadata/labels/" + escape(removeKey)},
	})
	if err != nil {
		return nil, err
	}
	patched := &corev1.Pod{}
	err = client.Patch(types.JSONPatchType).Namespace(namespace).Resource("pods").Name(name).Body(patch).Do(ctx).Into(patched)
	return patched, err
}
