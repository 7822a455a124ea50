//workshop:mutant phase-no-kind
//workshop:fault what is applied has no kind
//workshop:step 9
//workshop:want must name apiVersion workshop.example.com/v1 and kind Website

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func SetPhase(ctx context.Context, websites dynamic.ResourceInterface, name, manager, phase string) (*unstructured.Unstructured, error) {
	config := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": websiteGroup + "/v1",
		"metadata":   map[string]any{"name": name},
		"status":     map[string]any{"phase": phase},
	}}
	applied, err := websites.ApplyStatus(ctx, name, config, metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
