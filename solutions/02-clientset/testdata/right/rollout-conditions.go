//workshop:accept rollout-conditions
//workshop:why the controller's own word: Progressing with the reason NewReplicaSetAvailable, and nothing unavailable
//workshop:step WaitForRollout

package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

func WaitForRollout(ctx context.Context, client kubernetes.Interface, namespace, name string) (*appsv1.Deployment, error) {
	complete := func(d *appsv1.Deployment) (bool, error) {
		for _, c := range d.Status.Conditions {
			if c.Type == appsv1.DeploymentProgressing && c.Reason == "ProgressDeadlineExceeded" {
				return false, fmt.Errorf("deployment %s: %s", d.Name, c.Reason)
			}
		}
		for _, c := range d.Status.Conditions {
			if c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionTrue && c.Reason == "NewReplicaSetAvailable" {
				return d.Status.ObservedGeneration >= d.Generation && d.Status.Replicas == d.Status.UpdatedReplicas && d.Status.UnavailableReplicas == 0 && d.Status.Replicas == *d.Spec.Replicas, nil
			}
		}
		return false, nil
	}

	deployments := client.AppsV1().Deployments(namespace)
	selector := fields.OneTermEqualSelector("metadata.name", name).String()
	for {
		list, err := deployments.List(ctx, metav1.ListOptions{FieldSelector: selector})
		if err != nil {
			return nil, err
		}
		if len(list.Items) == 0 {
			return nil, apierrors.NewNotFound(appsv1.Resource("deployments"), name)
		}
		if done, err := complete(&list.Items[0]); done || err != nil {
			return &list.Items[0], err
		}
		w, err := deployments.Watch(ctx, metav1.ListOptions{FieldSelector: selector, ResourceVersion: list.ResourceVersion})
		if err != nil {
			return nil, err
		}
		for event := range w.ResultChan() {
			d, ok := event.Object.(*appsv1.Deployment)
			if !ok || event.Type == watch.Deleted {
				break
			}
			if done, err := complete(d); done || err != nil {
				w.Stop()
				return d, err
			}
		}
		w.Stop()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
