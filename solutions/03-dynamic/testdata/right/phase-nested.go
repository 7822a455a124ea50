//workshop:accept phase-nested
//workshop:why the object is built with setters
//workshop:step SetPhase

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func SetPhase(ctx context.Context, websites dynamic.ResourceInterface, name, manager, phase string) (*unstructured.Unstructured, error) {
	config := &unstructured.Unstructured{}
	config.SetAPIVersion(websiteGroup + "/v1")
	config.SetKind("Website")
	config.SetName(name)
	if err := unstructured.SetNestedField(config.Object, phase, "status", "phase"); err != nil {
		return nil, err
	}
	applied, err := websites.ApplyStatus(ctx, name, config, metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
