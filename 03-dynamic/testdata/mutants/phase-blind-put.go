//workshop:mutant phase-blind-put
//workshop:fault the status is written with a PUT of a new object
//workshop:step 9
//workshop:want UpdateStatus writes the whole status

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
		"kind":       "Website",
		"metadata":   map[string]any{"name": name},
		"status":     map[string]any{"phase": phase},
	}}
	applied, err := websites.UpdateStatus(ctx, config, metav1.UpdateOptions{FieldManager: manager})
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
