//workshop:mutant report-pods-unsorted
//workshop:fault the pods are in the order of the index
//workshop:step 4
//workshop:want an index has no order

package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	pods, err := indexer.ByTypedIndex(AppIndex, app)
	if err != nil {
		return nil, err
	}
	keys, err := indexer.IndexKeys(AppIndex, app)
	if err != nil {
		return nil, err
	}
	apps := indexer.ListIndexFuncValues(AppIndex)
	slices.Sort(apps)
	return &AppReport{Pods: pods, Keys: keys, Apps: apps}, nil
}
