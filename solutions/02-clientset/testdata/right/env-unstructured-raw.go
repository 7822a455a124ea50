//workshop:accept env-unstructured-raw
//workshop:why an unstructured object becomes the patch, sent by the RESTClient
//workshop:step SetEnv

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

func SetEnv(ctx context.Context, client kubernetes.Interface, namespace, name, container, key, value string) (*appsv1.Deployment, error) {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment"}}
	u.SetName(name)
	if err := unstructured.SetNestedSlice(u.Object, []any{map[string]any{"name": container, "env": []any{map[string]any{"name": key, "value": value}}}}, "spec", "template", "spec", "containers"); err != nil {
		return nil, err
	}
	patch, err := u.MarshalJSON()
	if err != nil {
		return nil, err
	}
	out := &appsv1.Deployment{}
	err = client.AppsV1().RESTClient().Patch(types.StrategicMergePatchType).Namespace(namespace).Resource("deployments").Name(name).Body(patch).Do(ctx).Into(out)
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	return out, nil
}
