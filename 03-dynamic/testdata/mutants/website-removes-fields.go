//workshop:mutant website-removes-fields
//workshop:fault what the type does not have is removed from the object
//workshop:step 8
//workshop:want read it and leave it

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
	if spec, ok := obj.Object["spec"].(map[string]any); ok {
		delete(spec, "replcias")
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, &website, true); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	return &website, nil
}
