//workshop:mutant phase-merge-patch
//workshop:fault a merge patch of the status
//workshop:step 9
//workshop:want another kind of patch owns nothing

package main

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

func SetPhase(ctx context.Context, websites dynamic.ResourceInterface, name, manager, phase string) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(map[string]any{"status": map[string]any{"phase": phase}})
	if err != nil {
		return nil, err
	}
	applied, err := websites.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{FieldManager: manager}, "status")
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
