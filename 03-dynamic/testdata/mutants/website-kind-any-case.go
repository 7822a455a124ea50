//workshop:mutant website-kind-any-case
//workshop:fault the case of the kind does not matter
//workshop:step 8
//workshop:want in lower case

package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func ToWebsite(obj *unstructured.Unstructured) (*Website, error) {
	want := schema.GroupVersionKind{Group: websiteGroup, Version: "v1", Kind: "Website"}
	if kind := obj.GroupVersionKind(); kind.GroupVersion() != want.GroupVersion() || !strings.EqualFold(kind.Kind, want.Kind) {
		return nil, fmt.Errorf("object %s is a %s and not a %s", obj.GetName(), kind, want)
	}
	var website Website
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, &website, true); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	return &website, nil
}
