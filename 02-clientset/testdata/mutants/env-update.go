//workshop:mutant env-update
//workshop:fault a full update in place of a patch
//workshop:step 6
//workshop:want want one PATCH

package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

func SetEnv(ctx context.Context, client kubernetes.Interface, namespace, name, container, key, value string) (*appsv1.Deployment, error) {
	var updated *appsv1.Deployment
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		deployment, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for i := range deployment.Spec.Template.Spec.Containers {
			if c := &deployment.Spec.Template.Spec.Containers[i]; c.Name == container {
				c.Env = append(c.Env, corev1.EnvVar{Name: key, Value: value})
			}
		}
		updated, err = client.AppsV1().Deployments(namespace).Update(ctx, deployment, metav1.UpdateOptions{})
		return err
	})
	return updated, err
}
