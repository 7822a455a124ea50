//workshop:mutant second-refuses-running
//workshop:fault an informer that runs is refused, as in old times
//workshop:step 6
//workshop:want returned an error

package main

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	if informer.HasSynced() {
		return "", errors.New("informer has already started")
	}
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{OwnerIndex: func(pod *corev1.Pod) ([]string, error) {
		var values []string
		for _, owner := range pod.OwnerReferences {
			values = append(values, string(owner.UID))
		}
		return values, nil
	}})
	return OwnerIndex, err
}
