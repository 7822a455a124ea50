//workshop:mutant second-other-name
//workshop:fault the index is added under another name than the one returned
//workshop:step 6
//workshop:want under another name than the one returned

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{"owner": func(pod *corev1.Pod) ([]string, error) {
		var values []string
		for _, owner := range pod.OwnerReferences {
			values = append(values, string(owner.UID))
		}
		return values, nil
	}})
	return OwnerIndex, err
}
