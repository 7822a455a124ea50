//workshop:accept phase-null-timestamp
//workshop:why a null creationTimestamp, which older releases wrote for every object, says nothing
//workshop:step SetPhase

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

func SetPhase(ctx context.Context, websites dynamic.ResourceInterface, name, manager, phase string) (*unstructured.Unstructured, error) {
	config := fmt.Appendf(nil, `{"apiVersion":"workshop.example.com/v1","kind":"Website","metadata":{"name":%q,"creationTimestamp":null},"status":{"phase":%q}}`, name, phase)
	applied, err := websites.Patch(ctx, name, types.ApplyPatchType, config, metav1.PatchOptions{FieldManager: manager, Force: new(true)}, "status")
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
