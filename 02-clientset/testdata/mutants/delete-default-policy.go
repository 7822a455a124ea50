//workshop:mutant delete-default-policy
//workshop:fault the DELETE names no policy: background
//workshop:step 9
//workshop:want propagationPolicy "", want Foreground
//workshop:want its pods go later

package main

import (
	"context"
	"time"

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
	err = deployments.Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil {
		return err
	}
	for {
		now, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if now.UID != old.UID {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
