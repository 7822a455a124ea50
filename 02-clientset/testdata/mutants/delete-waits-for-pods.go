//workshop:mutant delete-waits-for-pods
//workshop:fault the end of the pods is waited for, and not that of the Deployment
//workshop:step 9
//workshop:want nobody looked

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

func DeleteDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	deployments := client.AppsV1().Deployments(namespace)
	policy := metav1.DeletePropagationForeground
	err := deployments.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	err = wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=" + name})
		if err != nil {
			return false, err
		}
		return len(pods.Items) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return nil
}
