//workshop:mutant phase-strategic-patch
//workshop:fault a strategic merge patch of a custom resource
//workshop:step 9
//workshop:want the server has none for a custom resource

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
	applied, err := websites.Patch(ctx, name, types.StrategicMergePatchType, data, metav1.PatchOptions{FieldManager: manager}, "status")
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
