//workshop:mutant rollout-no-namespace
//workshop:fault the namespace is empty, so a Deployment of the same name in any namespace counts
//workshop:step 8
//workshop:want the namespace is empty
//workshop:want is then for all namespaces

package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func WaitForRollout(ctx context.Context, client kubernetes.Interface, namespace, name string) (*appsv1.Deployment, error) {
	deployments := client.AppsV1().Deployments("")
	for {
		list, err := deployments.List(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
		if err != nil {
			return nil, fmt.Errorf("look at deployment %s/%s: %w", namespace, name, err)
		}
		if len(list.Items) == 0 {
			return nil, apierrors.NewNotFound(appsv1.Resource("deployments"), name)
		}
		if done, err := rolledOut(&list.Items[0]); err != nil {
			return nil, err
		} else if done {
			return &list.Items[0], nil
		}
		w, err := deployments.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name, ResourceVersion: list.ResourceVersion}))
		if err != nil {
			return nil, fmt.Errorf("watch deployment %s/%s: %w", namespace, name, err)
		}
		deployment, err := watchRollout(w)
		if deployment != nil || err != nil {
			return deployment, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the rollout of deployment %s/%s: %w", namespace, name, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
