//workshop:mutant informer-other-name
//workshop:fault the index gets a name with other letters
//workshop:step 2
//workshop:want letter by letter

package main

import (
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	informer := factory.Core().V1().Pods().TypedInformer()
	return informer, informer.AddIndexers(cache.Indexers{"byapp": indexFunc})
}
