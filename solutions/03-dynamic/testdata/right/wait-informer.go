//workshop:accept wait-informer
//workshop:why an informer lists and watches by itself
//workshop:step WaitForPhase

package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

func WaitForPhase(ctx context.Context, websites dynamic.ResourceInterface, name, phase string) (*unstructured.Unstructured, error) {
	if _, err := websites.Get(ctx, name, metav1.GetOptions{}); err != nil {
		return nil, fmt.Errorf("get website %s: %w", name, err)
	}
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
	type result struct {
		website *unstructured.Unstructured
		err     error
	}
	results := make(chan result, 1)
	report := func(r result) {
		select {
		case results <- r:
		default:
		}
	}
	look := func(obj any) {
		website, ok := obj.(*unstructured.Unstructured)
		if !ok {
			return
		}
		if reached, err := HasPhase(website, phase); err != nil || reached {
			report(result{website, err})
		}
	}
	_, controller := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: lw,
		ObjectType:    &unstructured.Unstructured{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    look,
			UpdateFunc: func(_, now any) { look(now) },
			DeleteFunc: func(any) {
				report(result{err: apierrors.NewNotFound(schema.GroupResource{Group: websiteGroup, Resource: "websites"}, name)})
			},
		},
	})
	running, stop := context.WithCancel(ctx)
	defer stop()
	go controller.RunWithContext(running)
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for website %s: %w", name, ctx.Err())
	case r := <-results:
		if r.err != nil {
			return nil, fmt.Errorf("wait for website %s: %w", name, r.err)
		}
		return r.website, nil
	}
}
