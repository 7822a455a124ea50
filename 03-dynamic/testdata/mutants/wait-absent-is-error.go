//workshop:mutant wait-absent-is-error
//workshop:fault a Website without a phase is an error
//workshop:step 10
//workshop:want no phase yet is no error

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func hasPhase(website *unstructured.Unstructured, phase string) (bool, error) {
	got, found, err := unstructured.NestedString(website.Object, "status", "phase")
	if err != nil {
		return false, fmt.Errorf("read website %s: %w", website.GetName(), err)
	}
	if !found {
		return false, fmt.Errorf("website %s has no phase", website.GetName())
	}
	return got == phase, nil
}
