//workshop:mutant report-kept
//workshop:fault the first answer about an app is kept
//workshop:step 4
//workshop:want ask the index each time

package main

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

var reports = map[string]*AppReport{}

func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	if report, ok := reports[app]; ok {
		return report, nil
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
	reports[app] = &AppReport{Pods: pods, Keys: keys, Apps: apps}
	return reports[app], nil
}
