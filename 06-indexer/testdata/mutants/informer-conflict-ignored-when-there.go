//workshop:mutant informer-conflict-ignored-when-there
//workshop:fault an index that is there already is taken for one's own
//workshop:step 2
//workshop:want a second call returned no error

package main

import (
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	informer := factory.Core().V1().Pods().TypedInformer()
	if _, ok := informer.GetIndexer().GetIndexers()[AppIndex]; ok {
		return informer, nil
	}
	return informer, informer.AddIndexers(cache.Indexers{AppIndex: indexFunc})
}
