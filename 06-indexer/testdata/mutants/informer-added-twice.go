//workshop:mutant informer-added-twice
//workshop:fault the same index is added twice
//workshop:step 2
//workshop:want indexer conflict
//workshop:want add each index once

package main

import (
	"fmt"

	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	pods := factory.Core().V1().Pods()
	if err := pods.Informer().AddIndexers(cache.Indexers{AppIndex: indexFunc}); err != nil {
		return nil, fmt.Errorf("add the index %s: %w", AppIndex, err)
	}
	informer := pods.TypedInformer()
	if err := informer.AddIndexers(cache.Indexers{AppIndex: indexFunc}); err != nil {
		return nil, fmt.Errorf("add the index %s to the typed informer: %w", AppIndex, err)
	}
	return informer, nil
}
