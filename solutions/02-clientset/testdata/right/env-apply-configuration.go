//workshop:accept env-apply-configuration
//workshop:why an apply configuration is encoded, and sent as a strategic merge patch
//workshop:step SetEnv

package main

import (
	"context"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsv1apply "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
)

func SetEnv(ctx context.Context, client kubernetes.Interface, namespace, name, container, key, value string) (*appsv1.Deployment, error) {
	patch, err := json.Marshal(map[string]any{"spec": appsv1apply.DeploymentSpec().WithTemplate(corev1apply.PodTemplateSpec().WithSpec(corev1apply.PodSpec().
		WithContainers(corev1apply.Container().WithName(container).WithEnv(corev1apply.EnvVar().WithName(key).WithValue(value)))))})
	if err != nil {
		return nil, err
	}
	return client.AppsV1().Deployments(namespace).Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
}
