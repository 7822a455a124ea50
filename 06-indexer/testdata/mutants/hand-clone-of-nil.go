//workshop:mutant hand-clone-of-nil
//workshop:fault a clone of no map is no map, and writing to it panics
//workshop:step 3
//workshop:want a nil map

package main

import (
	"context"
	"errors"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func NewHandMadeInformer(client kubernetes.Interface, namespace string, indexers cache.Indexers) (cache.SharedIndexInformer, error) {
	pods := client.CoreV1().Pods(namespace)
	if _, there := indexers[cache.NamespaceIndex]; there {
		return nil, errors.New("conflict")
	}
	own := maps.Clone(indexers)
	own[cache.NamespaceIndex] = cache.MetaNamespaceIndexFunc
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			return pods.List(ctx, opts)
		},
		WatchFuncWithContext: func(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
			return pods.Watch(ctx, opts)
		},
	}, client)
	return cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, own), nil
}
