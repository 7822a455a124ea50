//workshop:mutant informer-no-index
//workshop:fault the index is never added
//workshop:step 2
//workshop:want AddIndexers is not called

package main

import (
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	return factory.Core().V1().Pods().TypedInformer(), nil
}
