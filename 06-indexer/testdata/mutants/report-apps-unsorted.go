//workshop:mutant report-apps-unsorted
//workshop:fault the apps are in the order of the index
//workshop:step 4
//workshop:want ListIndexFuncValues has no order

package main

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	pods, err := indexer.ByTypedIndex(AppIndex, app)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	keys, err := indexer.IndexKeys(AppIndex, app)
	if err != nil {
		return nil, err
	}
	apps := indexer.ListIndexFuncValues(AppIndex)
	return &AppReport{Pods: pods, Keys: keys, Apps: apps}, nil
}
