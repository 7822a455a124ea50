//workshop:mutant delete-first-get-fails
//workshop:fault an error of the first GET is taken for "not there"
//workshop:step 9
//workshop:want the first GET

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
	deployment, err := deployments.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	policy := metav1.DeletePropagationForeground
	err = deployments.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &deployment.UID}})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	err = wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		left, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		return left.UID != deployment.UID, nil
	})
	if err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	return nil
}
