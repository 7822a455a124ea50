//workshop:mutant wait-zero-event-skipped
//workshop:fault the zero events of a closed channel are skipped
//workshop:step 10
//workshop:want gives zero events without end

package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

func WaitForPhase(ctx context.Context, websites dynamic.ResourceInterface, name, phase string) (*unstructured.Unstructured, error) {
	list, err := websites.List(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
	if err != nil {
		return nil, fmt.Errorf("look at website %s: %w", name, err)
	}
	if len(list.Items) == 0 {
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: websiteGroup, Resource: "websites"}, name)
	}
	if reached, err := hasPhase(&list.Items[0], phase); err != nil {
		return nil, err
	} else if reached {
		return &list.Items[0], nil
	}
	w, err := websites.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name, ResourceVersion: list.GetResourceVersion()}))
	if err != nil {
		return nil, fmt.Errorf("watch website %s: %w", name, err)
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait until website %s is %s: %w", name, phase, ctx.Err())
		case event := <-w.ResultChan():
			website, ok := event.Object.(*unstructured.Unstructured)
			if !ok {
				continue
			}
			if reached, err := hasPhase(website, phase); err != nil {
				return nil, err
			} else if reached {
				return website, nil
			}
		}
	}
}
