//workshop:accept wait-whole-namespace
//workshop:why the whole namespace is watched and the name compared
//workshop:step WaitForPhase

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

func WaitForPhase(ctx context.Context, websites dynamic.ResourceInterface, name, phase string) (*unstructured.Unstructured, error) {
	for {
		list, err := websites.List(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
		if err != nil {
			return nil, fmt.Errorf("look at website %s: %w", name, err)
		}
		if len(list.Items) == 0 {
			return nil, apierrors.NewNotFound(schema.GroupResource{Group: websiteGroup, Resource: "websites"}, name)
		}
		if reached, err := HasPhase(&list.Items[0], phase); err != nil {
			return nil, err
		} else if reached {
			return &list.Items[0], nil
		}

		// SingleObject: this name alone, from this resourceVersion on.
		w, err := websites.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
		if err != nil && !apierrors.IsResourceExpired(err) {
			return nil, fmt.Errorf("watch website %s: %w", name, err)
		}
		if err == nil {
			website, err := watchNamed(w, name, phase)
			if website != nil || err != nil {
				return website, err
			}
		}

		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait until website %s is %s: %w", name, phase, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func watchNamed(w watch.Interface, name, phase string) (*unstructured.Unstructured, error) {
	defer w.Stop()
	for event := range w.ResultChan() {
		website, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, nil
		}
		if website.GetName() != name {
			continue
		}
		if event.Type == watch.Deleted {
			return nil, nil
		}
		if reached, err := HasPhase(website, phase); err != nil {
			return nil, err
		} else if reached {
			return website, nil
		}
	}
	return nil, nil
}
