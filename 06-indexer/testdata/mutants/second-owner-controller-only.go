//workshop:mutant second-owner-controller-only
//workshop:fault only the controller among the owners counts
//workshop:step 6
//workshop:want a pod may have several owners

package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{OwnerIndex: func(pod *corev1.Pod) ([]string, error) {
		controller := metav1.GetControllerOf(pod)
		if controller == nil {
			return nil, nil
		}
		return []string{string(controller.UID)}, nil
	}})
	return OwnerIndex, err
}
