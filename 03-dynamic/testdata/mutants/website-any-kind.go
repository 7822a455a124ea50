//workshop:mutant website-any-kind
//workshop:fault apiVersion and kind are not looked at
//workshop:step 8
//workshop:want compare apiVersion and kind yourself

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func ToWebsite(obj *unstructured.Unstructured) (*Website, error) {
	var website Website
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, &website, true); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	return &website, nil
}
