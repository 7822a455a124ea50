//workshop:mutant wait-phase-asserted
//workshop:fault the status is asserted to be there
//workshop:step 10
//workshop:want second result

package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func hasPhase(website *unstructured.Unstructured, phase string) (bool, error) {
	return website.Object["status"].(map[string]any)["phase"] == phase, nil
}
