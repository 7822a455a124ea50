//workshop:mutant env-read-first
//workshop:fault the Deployment is read and all its containers are sent back
//workshop:step 6
//workshop:want want one PATCH of the Deployment and no other request

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
	deployment, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	for i := range deployment.Spec.Template.Spec.Containers {
		if c := &deployment.Spec.Template.Spec.Containers[i]; c.Name == container {
			c.Env = append(c.Env, corev1.EnvVar{Name: key, Value: value})
		}
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": deployment.Spec.Template.Spec.Containers}}}})
	if err != nil {
		return nil, err
	}
	return client.AppsV1().Deployments(namespace).Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
}
