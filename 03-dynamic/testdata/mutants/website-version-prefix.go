//workshop:mutant website-version-prefix
//workshop:fault a version that only begins with v1 is taken for v1
//workshop:step 8
//workshop:want an object of version v1beta1

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
	if kind := obj.GroupVersionKind(); !strings.HasPrefix(obj.GetAPIVersion(), want.GroupVersion().String()) || obj.GetKind() != want.Kind {
		return nil, fmt.Errorf("object %s is a %s and not a %s", obj.GetName(), kind, want)
	}
	var website Website
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, &website, true); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	return &website, nil
}
