//workshop:mutant wait-wrong-type-is-absent
//workshop:fault a phase that is no text is taken for absent
//workshop:step 10
//workshop:want wrong type looks like an absent field

package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func hasPhase(website *unstructured.Unstructured, phase string) (bool, error) {
	got, _, _ := unstructured.NestedString(website.Object, "status", "phase")
	return got == phase, nil
}
