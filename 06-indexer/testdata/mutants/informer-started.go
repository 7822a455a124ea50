//workshop:mutant informer-started
//workshop:fault the informer is started at once
//workshop:step 2
//workshop:want the informer was started

package main

import (
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	informer := factory.Core().V1().Pods().TypedInformer()
	if err := informer.AddIndexers(cache.Indexers{AppIndex: indexFunc}); err != nil {
		return nil, err
	}
	factory.Start(make(chan struct{}))
	return informer, nil
}
