//workshop:mutant wait-spec-phase
//workshop:fault the phase is read from the spec
//workshop:step 10
//workshop:want look at the state first

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func hasPhase(website *unstructured.Unstructured, phase string) (bool, error) {
	got, _, err := unstructured.NestedString(website.Object, "spec", "phase")
	if err != nil {
		return false, fmt.Errorf("read website %s: %w", website.GetName(), err)
	}
	return got == phase, nil
}
