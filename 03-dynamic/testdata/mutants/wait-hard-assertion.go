//workshop:mutant wait-hard-assertion
//workshop:fault every event is asserted to hold an Unstructured
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
		website := event.Object.(*unstructured.Unstructured)
		if event.Type == watch.Deleted {
			return nil, nil
		}
		if reached, err := hasPhase(website, phase); err != nil {
			return nil, err
		} else if reached {
			return website, nil
		}
	}
	return nil, nil
}
