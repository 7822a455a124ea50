//workshop:accept rollout-informer
//workshop:why client-go's UntilWithSync, an informer inside
//workshop:step WaitForRollout

package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
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
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			opts.FieldSelector = "metadata.name=" + name
			return deployments.List(ctx, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			opts.FieldSelector = "metadata.name=" + name
			return deployments.Watch(ctx, opts)
		},
	}, client)
	exists := func(store cache.Store) (bool, error) {
		if len(store.List()) == 0 {
			return true, apierrors.NewNotFound(appsv1.Resource("deployments"), name)
		}
		return false, nil
	}
	var last *appsv1.Deployment
	_, err := watchtools.UntilWithSync(ctx, lw, &appsv1.Deployment{}, exists, func(event watch.Event) (bool, error) {
		if event.Type == watch.Deleted {
			return false, apierrors.NewNotFound(appsv1.Resource("deployments"), name)
		}
		d, ok := event.Object.(*appsv1.Deployment)
		if !ok {
			return false, nil
		}
		last = d
		return complete(d)
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("wait for %s: %w", name, ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	return last, nil
}
