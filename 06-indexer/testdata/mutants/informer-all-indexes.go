//workshop:mutant informer-all-indexes
//workshop:fault the other indexes of the chapter are added as well
//workshop:step 2
//workshop:want one more index

package main

import (
	"fmt"

	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	informer := factory.Core().V1().Pods().TypedInformer()
	err := informer.AddIndexers(cache.Indexers{AppIndex: indexFunc, NamespaceAppIndex: cache.TypedIndexerFuncToIndexerFunc(NamespaceAppIndexFunc)})
	if err != nil {
		return nil, fmt.Errorf("add: %w", err)
	}
	return informer, nil
}
