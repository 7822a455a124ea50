//workshop:mutant hand-added-twice
//workshop:fault the indexes are given to the informer at once and added again
//workshop:step 3
//workshop:want indexer conflict
//workshop:want add each index once

package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func NewHandMadeInformer(client kubernetes.Interface, namespace string, indexers cache.Indexers) (cache.SharedIndexInformer, error) {
	pods := client.CoreV1().Pods(namespace)
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			return pods.List(ctx, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return pods.Watch(ctx, opts)
		},
	}, client)
	all := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	for name, indexFunc := range indexers {
		all[name] = indexFunc
	}
	informer := cache.NewSharedIndexInformerWithOptions(lw, &corev1.Pod{}, cache.SharedIndexInformerOptions{Indexers: all})
	if err := informer.AddIndexers(indexers); err != nil {
		return nil, fmt.Errorf("add indexes to the informer on pods in %s: %w", namespace, err)
	}
	return informer, nil
}
