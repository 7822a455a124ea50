//workshop:mutant wait-nameless-type
//workshop:fault the error of the wrong type names no field
//workshop:step 10
//workshop:want it names the path

package main

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func hasPhase(website *unstructured.Unstructured, phase string) (bool, error) {
	got, _, err := unstructured.NestedString(website.Object, "status", "phase")
	if err != nil {
		return false, errors.New("wrong type")
	}
	return got == phase, nil
}
