//workshop:mutant phase-typed-status
//workshop:fault a typed Website is converted, with all its fields
//workshop:step 9
//workshop:want and nothing else

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
)

func SetPhase(ctx context.Context, websites dynamic.ResourceInterface, name, manager, phase string) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&Website{
		TypeMeta:   metav1.TypeMeta{APIVersion: websiteGroup + "/v1", Kind: "Website"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     WebsiteStatus{Phase: phase},
	})
	if err != nil {
		return nil, err
	}
	config := &unstructured.Unstructured{Object: content}
	applied, err := websites.ApplyStatus(ctx, name, config, metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
