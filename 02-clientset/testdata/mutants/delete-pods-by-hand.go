//workshop:mutant delete-pods-by-hand
//workshop:fault the pods are deleted one by one, the Deployment is kept from making new ones by its end
//workshop:step 9
//workshop:want want Foreground

package main

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func DeleteDeployment(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	err := client.AppsV1().Deployments(namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return client.CoreV1().Pods(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=" + name})
}
