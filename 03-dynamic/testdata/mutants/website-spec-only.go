//workshop:mutant website-spec-only
//workshop:fault only the spec is validated
//workshop:step 8
//workshop:want dropped without a word

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func ToWebsite(obj *unstructured.Unstructured) (*Website, error) {
	want := schema.GroupVersionKind{Group: websiteGroup, Version: "v1", Kind: "Website"}
	if kind := obj.GroupVersionKind(); kind != want {
		return nil, fmt.Errorf("object %s is a %s and not a %s", obj.GetName(), kind, want)
	}
	var website Website
	spec, _, err := unstructured.NestedMap(obj.Object, "spec")
	if err != nil {
		return nil, err
	}
	var checked struct {
		Spec WebsiteSpec `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(map[string]any{"spec": spec}, &checked, true); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &website); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	return &website, nil
}
