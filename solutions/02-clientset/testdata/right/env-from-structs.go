//workshop:accept env-from-structs
//workshop:why structs of one's own, and a typed container whose empty resources do no harm
//workshop:step SetEnv

package main

import (
	"context"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

func SetEnv(ctx context.Context, client kubernetes.Interface, namespace, name, container, key, value string) (*appsv1.Deployment, error) {
	type podSpec struct {
		Containers []corev1.Container `json:"containers"`
	}
	type template struct {
		Spec podSpec `json:"spec"`
	}
	type spec struct {
		Template template `json:"template"`
	}
	patch, err := json.Marshal(map[string]spec{"spec": {template{podSpec{[]corev1.Container{{Name: container, Env: []corev1.EnvVar{{Name: key, Value: value}}}}}}}})
	if err != nil {
		return nil, err
	}
	return client.AppsV1().Deployments(namespace).Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{FieldManager: "workshop"})
}
