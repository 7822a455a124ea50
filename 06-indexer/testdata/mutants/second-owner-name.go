//workshop:mutant second-owner-name
//workshop:fault the value is the owner's name
//workshop:step 6
//workshop:want the UID of the owner

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{OwnerIndex: func(pod *corev1.Pod) ([]string, error) {
		var values []string
		for _, owner := range pod.OwnerReferences {
			values = append(values, owner.Name)
		}
		return values, nil
	}})
	return OwnerIndex, err
}
