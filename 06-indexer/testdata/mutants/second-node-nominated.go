//workshop:mutant second-node-nominated
//workshop:fault the value is the nominated node
//workshop:step 6
//workshop:want spec.nodeName

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{NodeIndex: func(pod *corev1.Pod) ([]string, error) {
		if pod.Status.NominatedNodeName == "" {
			return nil, nil
		}
		return []string{pod.Status.NominatedNodeName}, nil
	}})
	return NodeIndex, err
}
