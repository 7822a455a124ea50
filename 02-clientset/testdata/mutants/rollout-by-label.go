//workshop:mutant rollout-by-label
//workshop:fault the Deployment is found by a label that another may have
//workshop:step 8
//workshop:want that is another Deployment

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
	deployments := client.AppsV1().Deployments(namespace)
	for {
		opts := metav1.ListOptions{LabelSelector: "app=" + name}
		list, err := deployments.List(ctx, opts)
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
		opts.ResourceVersion = list.ResourceVersion
		w, err := deployments.Watch(ctx, opts)
		if err != nil {
			return nil, fmt.Errorf("watch deployment %s/%s: %w", namespace, name, err)
		}
		deployment, err := watchRollout(w)
		if deployment != nil || err != nil {
			return deployment, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
