//workshop:mutant wait-deleted-ignored
//workshop:fault a Website that is deleted is waited for
//workshop:step 10
//workshop:want an event of the type Deleted ends the wait

package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

func watchPhase(w watch.Interface, phase string) (*unstructured.Unstructured, error) {
	defer w.Stop()
	for event := range w.ResultChan() {
		website, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, nil
		}
		if event.Type == watch.Deleted {
			continue
		}
		if reached, err := hasPhase(website, phase); err != nil {
			return nil, err
		} else if reached {
			return website, nil
		}
	}
	return nil, nil
}
