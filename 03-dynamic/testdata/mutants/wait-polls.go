//workshop:mutant wait-polls
//workshop:fault the Website is asked for again and again
//workshop:step 10
//workshop:want a watch tells you

package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func WaitForPhase(ctx context.Context, websites dynamic.ResourceInterface, name, phase string) (*unstructured.Unstructured, error) {
	for {
		website, err := websites.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get website %s: %w", name, err)
		}
		if reached, err := hasPhase(website, phase); err != nil {
			return nil, err
		} else if reached {
			return website, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait until website %s is %s: %w", name, phase, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}
