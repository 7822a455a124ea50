//workshop:mutant second-conflict-dropped
//workshop:fault the error of a name that is taken is dropped
//workshop:step 6
//workshop:want is dropped

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	_ = informer.AddTypedIndexers(coreinformers.PodIndexers{OwnerIndex: func(pod *corev1.Pod) ([]string, error) {
		var values []string
		for _, owner := range pod.OwnerReferences {
			values = append(values, string(owner.UID))
		}
		return values, nil
	}})
	return OwnerIndex, nil
}
