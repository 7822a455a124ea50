//workshop:mutant report-names-for-keys
//workshop:fault the keys are names without their namespace
//workshop:step 4
//workshop:want namespace/name

package main

import (
	"cmp"
	"slices"
	"strings"

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
	for i, key := range keys {
		_, keys[i], _ = strings.Cut(key, "/")
	}
	apps := indexer.ListIndexFuncValues(AppIndex)
	slices.Sort(apps)
	return &AppReport{Pods: pods, Keys: keys, Apps: apps}, nil
}
