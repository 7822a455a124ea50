//workshop:accept informer-typed-indexer
//workshop:why AddTypedIndexers wraps the function
//workshop:step NewIndexedInformer

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	informer := factory.Core().V1().Pods().TypedInformer()
	err := informer.AddTypedIndexers(coreinformers.PodIndexers{AppIndex: func(pod *corev1.Pod) ([]string, error) { return indexFunc(pod) }})
	if err != nil {
		return nil, err
	}
	return informer, nil
}
