//workshop:accept website-kind-last
//workshop:why the kind of the result is looked at last
//workshop:step ToWebsite

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
	if website.APIVersion != websiteGroup+"/v1" || website.Kind != "Website" {
		return nil, fmt.Errorf("object %s is a %s of %s", obj.GetName(), website.Kind, website.APIVersion)
	}
	return &website, nil
}
