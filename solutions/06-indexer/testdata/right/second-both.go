//workshop:accept second-both
//workshop:why two indexes may be added at once
//workshop:step AddSecondIndex

package main

import (
	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{
		NodeIndex: func(pod *corev1.Pod) ([]string, error) {
			if pod.Spec.NodeName == "" {
				return nil, nil
			}
			return []string{pod.Spec.NodeName}, nil
		},
		OwnerIndex: func(pod *corev1.Pod) ([]string, error) {
			var values []string
			for _, owner := range pod.OwnerReferences {
				values = append(values, string(owner.UID))
			}
			return values, nil
		},
	})
	if err != nil {
		return "", err
	}
	return NodeIndex, nil
}
