//workshop:mutant phase-update
//workshop:fault the object is written with a GET and a PUT
//workshop:step 9
//workshop:want needs nothing read before it

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

func SetPhase(ctx context.Context, websites dynamic.ResourceInterface, name, manager, phase string) (*unstructured.Unstructured, error) {
	website, err := websites.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get website %s: %w", name, err)
	}
	if err := unstructured.SetNestedField(website.Object, phase, "status", "phase"); err != nil {
		return nil, err
	}
	applied, err := websites.Update(ctx, website, metav1.UpdateOptions{FieldManager: manager})
	if err != nil {
		return nil, fmt.Errorf("apply phase %s to website %s: %w", phase, name, err)
	}
	return applied, nil
}
