//workshop:mutant second-owner-first-panics
//workshop:fault the first owner is taken without looking whether there is one
//workshop:step 6
//workshop:want panicked
//workshop:want look at its length first

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{OwnerIndex: func(pod *corev1.Pod) ([]string, error) {
		return []string{string(pod.OwnerReferences[0].UID)}, nil
	}})
	return OwnerIndex, err
}
