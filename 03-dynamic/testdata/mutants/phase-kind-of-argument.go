//workshop:mutant phase-kind-of-argument
//workshop:fault the kind of the resource is guessed for the object that is applied
//workshop:step 9
//workshop:want kind Website

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func SetPhase(ctx context.Context, websites dynamic.ResourceInterface, name, manager, phase string) (*unstructured.Unstructured, error) {
	config := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"phase": phase}}}
	config.SetName(name)
	config.SetAPIVersion(websiteGroup + "/v1")
	config.SetKind("Websites")
	applied, err := websites.ApplyStatus(ctx, name, config, metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
