//workshop:accept wait-retry-watcher
//workshop:why the RetryWatcher reopens a watch; a look comes before each
//workshop:step WaitForPhase

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

func WaitForPhase(ctx context.Context, websites dynamic.ResourceInterface, name, phase string) (*unstructured.Unstructured, error) {
	single := metav1.SingleObject(metav1.ObjectMeta{Name: name})
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = single.FieldSelector
			return websites.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = single.FieldSelector
			return websites.Watch(ctx, options)
		},
	}
	for {
		list, err := websites.List(ctx, single)
		if err != nil {
			return nil, fmt.Errorf("list website %s: %w", name, err)
		}
		if len(list.Items) == 0 {
			return nil, apierrors.NewNotFound(schema.GroupResource{Group: websiteGroup, Resource: "websites"}, name)
		}
		website, err := untilPhase(ctx, lw, list, phase)
		if website != nil || err != nil {
			return website, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for website %s: %w", name, context.Cause(ctx))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func untilPhase(ctx context.Context, lw cache.WatcherWithContext, list *unstructured.UnstructuredList, phase string) (*unstructured.Unstructured, error) {
	if reached, err := HasPhase(&list.Items[0], phase); err != nil || reached {
		if err != nil {
			return nil, err
		}
		return &list.Items[0], nil
	}
	w, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), lw)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	defer w.Stop()
	again := time.After(3 * time.Second)
	for {
		select {
		case <-ctx.Done():
			return nil, nil
		case <-again:
			return nil, nil
		case event, ok := <-w.ResultChan():
			if !ok {
				return nil, nil
			}
			website, ok := event.Object.(*unstructured.Unstructured)
			if !ok || event.Type == watch.Deleted {
				return nil, nil
			}
			if reached, err := HasPhase(website, phase); err != nil {
				return nil, err
			} else if reached {
				return website, nil
			}
		}
	}
}
