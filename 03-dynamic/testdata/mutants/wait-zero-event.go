//workshop:mutant wait-zero-event
//workshop:fault a receive from a closed channel is taken for an event, without end
//workshop:step 10
//workshop:want a loop without an end

package main

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

func watchPhase(w watch.Interface, phase string) (*unstructured.Unstructured, error) {
	defer w.Stop()
	for {
		event := <-w.ResultChan()
		website, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			continue
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
}
