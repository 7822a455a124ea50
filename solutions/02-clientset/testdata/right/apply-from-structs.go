//workshop:accept apply-from-structs
//workshop:why a map is encoded and sent by the RESTClient
//workshop:step ApplyReplicas

package main

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

func ApplyReplicas(ctx context.Context, client kubernetes.Interface, namespace, name, manager string, replicas int32, force bool) (*appsv1.Deployment, error) {
	body, err := json.Marshal(map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": name, "namespace": namespace}, "spec": map[string]any{"replicas": replicas}})
	if err != nil {
		return nil, err
	}
	out := &appsv1.Deployment{}
	opts := metav1.PatchOptions{FieldManager: manager, Force: &force}
	err = client.AppsV1().RESTClient().Patch(types.ApplyYAMLPatchType).Namespace(namespace).Resource("deployments").Name(name).VersionedParams(&opts, scheme.ParameterCodec).Body(body).Do(ctx).Into(out)
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	return out, nil
}
