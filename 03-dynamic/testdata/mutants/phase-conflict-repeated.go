//workshop:mutant phase-conflict-repeated
//workshop:fault a conflict is tried again
//workshop:step 9
//workshop:want an apply is sent once

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
)

func SetPhase(ctx context.Context, websites dynamic.ResourceInterface, name, manager, phase string) (*unstructured.Unstructured, error) {
	config := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": websiteGroup + "/v1",
		"kind":       "Website",
		"metadata":   map[string]any{"name": name},
		"status":     map[string]any{"phase": phase},
	}}
	var applied *unstructured.Unstructured
	err := retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
		applied, err = websites.ApplyStatus(ctx, name, config, metav1.ApplyOptions{FieldManager: manager, Force: true})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
