//workshop:accept report-keys-then-get
//workshop:why the keys of the index lead to the pods one by one
//workshop:step ReportApp

package main

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
)

func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	keys, err := indexer.IndexKeys(AppIndex, app)
	if err != nil {
		return nil, fmt.Errorf("keys of %s: %w", app, err)
	}
	var pods []*corev1.Pod
	for _, key := range keys {
		obj, exists, err := indexer.GetByKey(key)
		if err != nil {
			return nil, err
		}
		if exists {
			pods = append(pods, obj.(*corev1.Pod))
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return &AppReport{Pods: pods, Keys: keys, Apps: sets.List(sets.New(indexer.ListIndexFuncValues(AppIndex)...))}, nil
}
