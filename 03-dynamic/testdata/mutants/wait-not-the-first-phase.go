//workshop:mutant wait-not-the-first-phase
//workshop:fault any phase that is not empty ends the wait
//workshop:step 10
//workshop:want compare the phase as a whole

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func hasPhase(website *unstructured.Unstructured, phase string) (bool, error) {
	got, _, err := unstructured.NestedString(website.Object, "status", "phase")
	if err != nil {
		return false, fmt.Errorf("read website %s: %w", website.GetName(), err)
	}
	return got != "", nil
}
