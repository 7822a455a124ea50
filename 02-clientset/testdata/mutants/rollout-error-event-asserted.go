//workshop:mutant rollout-error-event-asserted
//workshop:fault an Error event is taken for a Deployment
//workshop:step 8
//workshop:want panicked
//workshop:want look at event.Type first

package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
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
		want := *d.Spec.Replicas
		return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == want && d.Status.Replicas == want && d.Status.AvailableReplicas == want, nil
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
			d := event.Object.(*appsv1.Deployment)
			if event.Type == watch.Deleted {
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
