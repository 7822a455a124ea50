//workshop:mutant informer-of-its-own
//workshop:fault the informer is not the factory's
//workshop:step 2
//workshop:want another cache than the factory

package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func NewIndexedInformer(factory informers.SharedInformerFactory, indexFunc cache.IndexFunc) (coreinformers.PodIndexInformer, error) {
	informer := coreinformers.NewTypedPodInformer(kubernetes.Interface(nil), metav1.NamespaceAll, 0, coreinformers.PodIndexers{})
	err := informer.AddIndexers(cache.Indexers{AppIndex: indexFunc})
	return informer, err
}
