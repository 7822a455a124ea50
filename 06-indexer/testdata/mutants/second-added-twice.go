//workshop:mutant second-added-twice
//workshop:fault the same index is added twice
//workshop:step 6
//workshop:want indexer conflict
//workshop:want add each index once

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	byNode := func(pod *corev1.Pod) ([]string, error) {
		if pod.Spec.NodeName == "" {
			return nil, nil
		}
		return []string{pod.Spec.NodeName}, nil
	}
	for range 2 {
		if err := informer.AddTypedIndexers(coreinformers.PodIndexers{NodeIndex: byNode}); err != nil {
			return "", fmt.Errorf("add the index %s: %w", NodeIndex, err)
		}
	}
	return NodeIndex, nil
}
