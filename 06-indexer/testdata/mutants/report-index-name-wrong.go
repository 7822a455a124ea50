//workshop:mutant report-index-name-wrong
//workshop:fault the index is asked by another name
//workshop:step 4
//workshop:want the index is called byApp

package main

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	pods, err := indexer.ByTypedIndex("byapp", app)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	keys, err := indexer.IndexKeys("byapp", app)
	if err != nil {
		return nil, err
	}
	apps := indexer.ListIndexFuncValues("byapp")
	slices.Sort(apps)
	return &AppReport{Pods: pods, Keys: keys, Apps: apps}, nil
}
