//workshop:mutant second-node-unbound
//workshop:fault a pod without a node is found under the empty string
//workshop:step 6
//workshop:want is a value like any other

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{NodeIndex: func(pod *corev1.Pod) ([]string, error) {
		return []string{pod.Spec.NodeName}, nil
	}})
	return NodeIndex, err
}
