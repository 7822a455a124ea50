//workshop:mutant rollout-old-version
//workshop:fault the watch begins at the object's resourceVersion, again and again
//workshop:step 8
//workshop:want no watch from a newer resourceVersion
//workshop:want the resourceVersion of a fresh list

package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	for {
		d, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if done, err := complete(d); done || err != nil {
			return d, err
		}
		w, err := deployments.Watch(ctx, metav1.SingleObject(d.ObjectMeta))
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
