//workshop:accept rollout-retry-watcher
//workshop:why client-go's RetryWatcher survives a closed watch, and a loop around it an expired one
//workshop:step WaitForRollout

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	expired := errors.New("look again")
	for {
		list, err := deployments.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
		if err != nil {
			return nil, err
		}
		if len(list.Items) == 0 {
			return nil, apierrors.NewNotFound(appsv1.Resource("deployments"), name)
		}
		if done, err := complete(&list.Items[0]); done || err != nil {
			return &list.Items[0], err
		}
		event, err := watchtools.Until(ctx, list.ResourceVersion, &cache.ListWatch{
			WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
				opts.FieldSelector = "metadata.name=" + name
				return deployments.Watch(ctx, opts)
			},
		}, func(event watch.Event) (bool, error) {
			if d, ok := event.Object.(*appsv1.Deployment); ok && event.Type != watch.Deleted {
				return complete(d)
			}
			return false, expired
		})
		if err == nil {
			return event.Object.(*appsv1.Deployment), nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !errors.Is(err, expired) && !errors.Is(err, watchtools.ErrWatchClosed) {
			return nil, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
