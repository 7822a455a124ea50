//workshop:accept has-phase-in-maps
//workshop:why the status can be asserted to be a map, and the phase to be text, with the second results looked at
//workshop:step HasPhase

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func HasPhase(website *unstructured.Unstructured, phase string) (bool, error) {
	value, found := website.Object["status"]
	if !found {
		return false, nil
	}
	status, ok := value.(map[string]any)
	if !ok {
		return false, fmt.Errorf("the status is a %T", value)
	}
	value, found = status["phase"]
	if !found {
		return false, nil
	}
	got, ok := value.(string)
	if !ok {
		return false, fmt.Errorf("the phase is a %T", value)
	}
	return got == phase, nil
}
