//workshop:accept website-texts-compared
//workshop:why apiVersion and kind compared as texts
//workshop:step ToWebsite

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func ToWebsite(obj *unstructured.Unstructured) (*Website, error) {
	if obj.GetAPIVersion() != websiteGroup+"/v1" || obj.GetKind() != "Website" {
		return nil, fmt.Errorf("%s is a %s of %s", obj.GetName(), obj.GetKind(), obj.GetAPIVersion())
	}
	var website Website
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, &website, true); err != nil {
		return nil, fmt.Errorf("convert website %s: %w", obj.GetName(), err)
	}
	return &website, nil
}
