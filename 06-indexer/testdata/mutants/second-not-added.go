//workshop:mutant second-not-added
//workshop:fault the functions are there and are never added
//workshop:step 6
//workshop:want was not added to this informer

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	_ = coreinformers.PodIndexers{OwnerIndex: func(pod *corev1.Pod) ([]string, error) { return nil, nil }}
	_ = informer
	return OwnerIndex, nil
}
