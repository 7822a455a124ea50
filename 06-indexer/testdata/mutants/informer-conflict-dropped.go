//workshop:mutant informer-conflict-dropped
//workshop:fault the error of AddIndexers is dropped
//workshop:step 2
//workshop:want the error of AddIndexers is dropped

package main

import (
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	informer := factory.Core().V1().Pods().TypedInformer()
	_ = informer.AddIndexers(cache.Indexers{AppIndex: indexFunc})
	return informer, nil
}
