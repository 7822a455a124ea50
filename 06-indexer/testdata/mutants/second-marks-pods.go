//workshop:mutant second-marks-pods
//workshop:fault the index function writes into the pods of the cache
//workshop:step 6
//workshop:want changed the pod

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{NodeIndex: func(pod *corev1.Pod) ([]string, error) {
		if pod.Spec.NodeName == "" {
			pod.Status.Reason = "Unbound"
			return nil, nil
		}
		return []string{pod.Spec.NodeName}, nil
	}})
	if err != nil {
		return "", fmt.Errorf("add the index %s: %w", NodeIndex, err)
	}
	return NodeIndex, nil
}
