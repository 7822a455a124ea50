//workshop:mutant hand-no-namespace-index
//workshop:fault the namespace index is left out
//workshop:step 3
//workshop:want only a factory adds the namespace index

package main

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func NewHandMadeInformer(client kubernetes.Interface, namespace string, indexers cache.Indexers) (cache.SharedIndexInformer, error) {
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			return client.CoreV1().Pods(namespace).List(ctx, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return client.CoreV1().Pods(namespace).Watch(ctx, opts)
		},
	}, client)
	return cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, maps.Clone(indexers)), nil
}
