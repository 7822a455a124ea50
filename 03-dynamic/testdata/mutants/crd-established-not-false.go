//workshop:mutant crd-established-not-false
//workshop:fault a condition that is not False is taken for True
//workshop:step 6
//workshop:want status is Unknown

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func establishedResources(crd *unstructured.Unstructured) ([]schema.GroupVersionResource, bool, error) {
	// A struct of only these fields, since the conditions of a new CRD are null,
	// which to unstructured.NestedSlice is a value of the wrong type.
	var definition struct {
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Plural string `json:"plural"`
			} `json:"names"`
			Versions []struct {
				Name   string `json:"name"`
				Served bool   `json:"served"`
			} `json:"versions"`
		} `json:"spec"`
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(crd.Object, &definition); err != nil {
		return nil, false, err
	}
	conditions := definition.Status.Conditions
	if c := meta.FindStatusCondition(conditions, "NamesAccepted"); c != nil && c.Status == metav1.ConditionFalse {
		return nil, false, fmt.Errorf("its names are not accepted: %s: %s", c.Reason, c.Message)
	}
	var resources []schema.GroupVersionResource
	for _, version := range definition.Spec.Versions {
		if version.Served {
			resources = append(resources, schema.GroupVersionResource{
				Group: definition.Spec.Group, Version: version.Name, Resource: definition.Spec.Names.Plural,
			})
		}
	}
	return resources, func() bool {
		c := meta.FindStatusCondition(conditions, "Established")
		return c != nil && c.Status != metav1.ConditionFalse
	}(), nil
}
