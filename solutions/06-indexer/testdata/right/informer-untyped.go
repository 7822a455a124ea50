//workshop:accept informer-untyped
//workshop:why the untyped informer of the same factory has the same cache
//workshop:step NewIndexedInformer

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	pods := factory.Core().V1().Pods()
	if err := pods.Informer().GetIndexer().AddIndexers(cache.Indexers{AppIndex: indexFunc}); err != nil {
		return nil, fmt.Errorf("add index: %w", err)
	}
	return coreinformers.PodIndexInformer(cache.NewTypedSharedIndexInformer[*corev1.Pod](pods.Informer())), nil
}
