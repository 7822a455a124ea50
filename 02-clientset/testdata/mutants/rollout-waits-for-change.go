//workshop:mutant rollout-waits-for-change
//workshop:fault what is true already is not looked at
//workshop:step 8
//workshop:want was complete before the call

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

	list, err := client.AppsV1().Deployments(namespace).List(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
	if err != nil {
		return nil, err
	}
	w, err := client.AppsV1().Deployments(namespace).Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name, ResourceVersion: list.ResourceVersion}))
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if d, ok := event.Object.(*appsv1.Deployment); ok {
			if done, err := complete(d); done || err != nil {
				return d, err
			}
		}
	}
	return nil, ctx.Err()
}
