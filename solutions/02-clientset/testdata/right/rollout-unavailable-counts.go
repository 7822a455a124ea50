//workshop:accept rollout-unavailable-counts
//workshop:why all Deployments are watched and the name is looked at; unavailable and old pods are counted
//workshop:step WaitForRollout

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

func WaitForRollout(ctx context.Context, client kubernetes.Interface, namespace, name string) (*appsv1.Deployment, error) {
	deployments := client.AppsV1().Deployments(namespace)
	for {
		list, err := deployments.List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		i := slices.IndexFunc(list.Items, func(d appsv1.Deployment) bool { return d.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("wait: %w", apierrors.NewNotFound(schema.GroupResource{Group: "apps", Resource: "deployments"}, name))
		}
		if done, err := RolloutComplete(&list.Items[i]); done || err != nil {
			return &list.Items[i], err
		}
		seconds := int64(30)
		w, err := deployments.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, TimeoutSeconds: &seconds, AllowWatchBookmarks: true})
		if err != nil {
			return nil, fmt.Errorf("watch: %w", err)
		}
		for open := true; open; {
			var event watch.Event
			select {
			case <-ctx.Done():
				w.Stop()
				return nil, fmt.Errorf("wait: %w", ctx.Err())
			case event, open = <-w.ResultChan():
			}
			d, ok := event.Object.(*appsv1.Deployment)
			switch {
			case !open:
			case event.Type == watch.Bookmark:
			case !ok:
				open = false
			case d.Name != name:
			case event.Type == watch.Deleted:
				w.Stop()
				return nil, apierrors.NewNotFound(schema.GroupResource{Group: "apps", Resource: "deployments"}, name)
			default:
				if done, err := RolloutComplete(d); done || err != nil {
					w.Stop()
					return d, err
				}
			}
		}
		w.Stop()
		time.Sleep(50 * time.Millisecond)
	}
}
