//workshop:mutant second-node-error
//workshop:fault a pod without a node is an error, which ends the program
//workshop:step 6
//workshop:want unable to calculate an index entry

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{NodeIndex: func(pod *corev1.Pod) ([]string, error) {
		if pod.Spec.NodeName == "" {
			return nil, fmt.Errorf("pod %s is not bound", pod.Name)
		}
		return []string{pod.Spec.NodeName}, nil
	}})
	return NodeIndex, err
}
