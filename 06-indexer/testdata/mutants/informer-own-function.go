//workshop:mutant informer-own-function
//workshop:fault the caller's function is not used
//workshop:step 2
//workshop:want not the one that is used

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	informer := factory.Core().V1().Pods().TypedInformer()
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{AppIndex: func(pod *corev1.Pod) ([]string, error) {
		if app, ok := pod.Labels[AppLabel]; ok {
			return []string{app}, nil
		}
		return nil, nil
	}})
	return informer, err
}
