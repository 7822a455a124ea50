//workshop:mutant delete-accepted-is-gone
//workshop:fault an accepted DELETE is taken for the end
//workshop:step 9
//workshop:want an accepted DELETE is not the end

package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func DeleteDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	deployments := client.AppsV1().Deployments(namespace)
	old, err := deployments.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	policy := metav1.DeletePropagationForeground
	err = deployments.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy})
	if err != nil {
		return err
	}
	_ = old
	return nil
}
