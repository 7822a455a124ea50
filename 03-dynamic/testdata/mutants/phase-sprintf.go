//workshop:mutant phase-sprintf
//workshop:fault the JSON is made with Sprintf
//workshop:step 9
//workshop:want as a map, not as a text

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
	data := fmt.Appendf(nil, `{"apiVersion":"%s/v1","kind":"Website","metadata":{"name":"%s"},"status":{"phase":"%s"}}`, websiteGroup, name, phase)
	applied, err := websites.Patch(ctx, name, types.ApplyPatchType, data, metav1.PatchOptions{FieldManager: manager, Force: new(true)}, "status")
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
