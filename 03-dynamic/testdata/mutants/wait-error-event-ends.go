//workshop:mutant wait-error-event-ends
//workshop:fault an event of the type Error ends the wait
//workshop:step 10
//workshop:want look again, and watch from

package main

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

func watchPhase(w watch.Interface, phase string) (*unstructured.Unstructured, error) {
	defer w.Stop()
	for event := range w.ResultChan() {
		website, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, apierrors.FromObject(event.Object)
		}
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
