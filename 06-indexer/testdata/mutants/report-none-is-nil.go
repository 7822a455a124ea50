//workshop:mutant report-none-is-nil
//workshop:fault an app without pods gives no report
//workshop:step 4
//workshop:want return the report, also when no pod is in it

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
	if len(pods) == 0 {
		return nil, nil
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
