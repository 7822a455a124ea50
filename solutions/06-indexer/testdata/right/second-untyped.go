//workshop:accept second-untyped
//workshop:why AddIndexers with an untyped function, on the indexer itself
//workshop:step AddSecondIndex

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func AddSecondIndex(informer coreinformers.PodIndexInformer) (string, error) {
	err := informer.GetIndexer().AddIndexers(cache.Indexers{OwnerIndex: func(obj any) ([]string, error) {
		pod, ok := obj.(*corev1.Pod)
		if !ok {
			return nil, nil
		}
		values := sets.New[string]()
		for _, ref := range pod.GetOwnerReferences() {
			values.Insert(string(ref.UID))
		}
		return values.UnsortedList(), nil
	}})
	if err != nil {
		return "", fmt.Errorf("add index: %w", err)
	}
	return OwnerIndex, nil
}
