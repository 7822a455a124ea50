//workshop:accept second-by-node
//workshop:why the other of the two choices
//workshop:step AddSecondIndex

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{NodeIndex: func(pod *corev1.Pod) ([]string, error) {
		if pod.Spec.NodeName == "" {
			return nil, nil
		}
		return []string{pod.Spec.NodeName}, nil
	}})
	return NodeIndex, err
}
