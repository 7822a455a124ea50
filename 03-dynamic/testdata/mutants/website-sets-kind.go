//workshop:mutant website-sets-kind
//workshop:fault the object is given the kind that is wanted
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
	obj.SetGroupVersionKind(schema.GroupVersionKind{Group: websiteGroup, Version: "v1", Kind: "Website"})
	var website Website
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, &website, true); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	return &website, nil
}
