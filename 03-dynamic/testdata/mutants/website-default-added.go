//workshop:mutant website-default-added
//workshop:fault a default is added that nobody wrote
//workshop:step 8
//workshop:want add no default

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
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, &website, true); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	if website.Spec.Replicas == nil {
		website.Spec.Replicas = new(int32(1))
	}
	return &website, nil
}
