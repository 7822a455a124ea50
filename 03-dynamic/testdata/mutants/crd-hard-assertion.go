//workshop:mutant crd-hard-assertion
//workshop:fault the conditions are asserted to be there
//workshop:step 6
//workshop:want second result

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func establishedResources(crd *unstructured.Unstructured) ([]schema.GroupVersionResource, bool, error) {
	group, _, err := unstructured.NestedString(crd.Object, "spec", "group")
	if err != nil {
		return nil, false, err
	}
	plural, _, err := unstructured.NestedString(crd.Object, "spec", "names", "plural")
	if err != nil {
		return nil, false, err
	}
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	if err != nil {
		return nil, false, err
	}
	var resources []schema.GroupVersionResource
	for _, version := range versions {
		fields, ok := version.(map[string]any)
		if ok && fields["served"] == true {
			resources = append(resources, schema.GroupVersionResource{Group: group, Version: fmt.Sprint(fields["name"]), Resource: plural})
		}
	}
	conditions := crd.Object["status"].(map[string]any)["conditions"].([]any)
	for _, condition := range conditions {
		fields, ok := condition.(map[string]any)
		if ok && fields["type"] == "Established" && fields["status"] == "True" {
			return resources, true, nil
		}
		if ok && fields["type"] == "NamesAccepted" && fields["status"] == "False" {
			return nil, false, fmt.Errorf("its names are not accepted: %v", fields["message"])
		}
	}
	return nil, false, nil
}
