//workshop:accept informer-list-and-watch
//workshop:why informers may begin with a list and go on with a watch, as they do where the stream is switched off
//workshop:step NewIndexedInformer

package main

import (
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// An informer reads the switch when it starts.
func init() { os.Setenv("KUBE_FEATURE_WatchListClient", "false") }

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	pods := factory.Core().V1().Pods()
	if err := pods.Informer().GetIndexer().AddIndexers(cache.Indexers{AppIndex: indexFunc}); err != nil {
		return nil, fmt.Errorf("add index: %w", err)
	}
	return coreinformers.PodIndexInformer(cache.NewTypedSharedIndexInformer[*corev1.Pod](pods.Informer())), nil
}
