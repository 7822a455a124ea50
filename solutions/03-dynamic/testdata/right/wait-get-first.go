//workshop:accept wait-get-first
//workshop:why a GET looks, and a watch without a resourceVersion begins with what there is
//workshop:step WaitForPhase

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func WaitForPhase(ctx context.Context, websites dynamic.ResourceInterface, name, phase string) (*unstructured.Unstructured, error) {
	for {
		website, err := websites.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("look at website %s: %w", name, err)
		}
		if reached, err := HasPhase(website, phase); err != nil {
			return nil, err
		} else if reached {
			return website, nil
		}

		// SingleObject: this name alone, from this resourceVersion on.
		w, err := websites.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: name}))
		if err != nil && !apierrors.IsResourceExpired(err) {
			return nil, fmt.Errorf("watch website %s: %w", name, err)
		}
		if err == nil {
			website, err := watchPhase(w, phase)
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
