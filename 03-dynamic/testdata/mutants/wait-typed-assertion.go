//workshop:mutant wait-typed-assertion
//workshop:fault an event is asserted to hold a struct
//workshop:step 10
//workshop:want second result

package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

func watchPhase(w watch.Interface, phase string) (*unstructured.Unstructured, error) {
	defer w.Stop()
	for event := range w.ResultChan() {
		website := any(event.Object).(*Website)
		if website.Status.Phase == phase {
			return &unstructured.Unstructured{Object: map[string]any{"status": website.Status}}, nil
		}
	}
	return nil, nil
}
