//workshop:mutant report-other-error-only-keys
//workshop:fault the error is seen only when the index has the app
//workshop:step 4
//workshop:want an unknown index looks like an empty one

package main

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	if !slices.Contains(indexer.ListIndexFuncValues(AppIndex), app) {
		apps := indexer.ListIndexFuncValues(AppIndex)
		slices.Sort(apps)
		return &AppReport{Apps: apps}, nil
	}
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
	slices.Sort(apps)
	return &AppReport{Pods: pods, Keys: keys, Apps: apps}, nil
}
