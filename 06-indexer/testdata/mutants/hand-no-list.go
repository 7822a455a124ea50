//workshop:mutant hand-no-list
//workshop:fault the ListWatch has no list function
//workshop:step 3
//workshop:want ended the program

package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func NewHandMadeInformer(client kubernetes.Interface, namespace string, indexers cache.Indexers) (cache.SharedIndexInformer, error) {
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return client.CoreV1().Pods(namespace).Watch(ctx, opts)
		},
	}, client)
	informer := cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	return informer, informer.AddIndexers(indexers)
}
