//workshop:accept hand-list-watch-from-client
//workshop:why client-go makes a ListWatch from a RESTClient
//workshop:step NewHandMadeInformer

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func NewHandMadeInformer(client kubernetes.Interface, namespace string, indexers cache.Indexers) (cache.SharedIndexInformer, error) {
	lw := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", namespace, fields.Everything())
	informer := cache.NewSharedIndexInformerWithOptions(cache.ToListWatcherWithWatchListSemantics(lw, client), &corev1.Pod{}, cache.SharedIndexInformerOptions{Indexers: cache.Indexers{}})
	if err := informer.AddIndexers(cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}); err != nil {
		return nil, err
	}
	if err := informer.AddIndexers(indexers); err != nil {
		return nil, err
	}
	return informer, nil
}
