//workshop:accept rollout-watch-from-now
//workshop:why a GET, then a watch without a resourceVersion, which begins with what is there; a short timeout guards it
//workshop:step WaitForRollout

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
	for ; ; time.Sleep(100 * time.Millisecond) {
		d, err := deployments.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if done, err := complete(d); done || err != nil {
			return d, err
		}
		w, err := deployments.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name, TimeoutSeconds: new(int64(30))})
		if err != nil {
			return nil, err
		}
		if d, err := follow(ctx, w, complete); d != nil || err != nil {
			return d, err
		}
	}
}

func follow(ctx context.Context, w watch.Interface, complete func(*appsv1.Deployment) (bool, error)) (*appsv1.Deployment, error) {
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case event, open := <-w.ResultChan():
			if !open {
				return nil, ctx.Err()
			}
			switch event.Type {
			case watch.Added, watch.Modified:
				d := event.Object.(*appsv1.Deployment)
				if done, err := complete(d); done || err != nil {
					return d, err
				}
			default:
				return nil, nil
			}
		}
	}
}
