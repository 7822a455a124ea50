//workshop:mutant wait-phase-begins-with
//workshop:fault a part of the phase is compared
//workshop:step 10
//workshop:want compare the phase as a whole

package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func hasPhase(website *unstructured.Unstructured, phase string) (bool, error) {
	got, _, err := unstructured.NestedString(website.Object, "status", "phase")
	if err != nil {
		return false, fmt.Errorf("read website %s: %w", website.GetName(), err)
	}
	return strings.HasPrefix(got, phase), nil
}
