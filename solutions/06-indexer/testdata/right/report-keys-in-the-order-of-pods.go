//workshop:accept report-keys-in-the-order-of-pods
//workshop:why the keys are taken from the sorted pods
//workshop:step ReportApp

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	pods, err := indexer.ByTypedIndex(AppIndex, app)
	if err != nil {
		return nil, fmt.Errorf("find: %w", err)
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	report := &AppReport{Pods: pods, Apps: slices.Sorted(slices.Values(indexer.ListIndexFuncValues(AppIndex)))}
	for _, pod := range pods {
		report.Keys = append(report.Keys, cache.MetaObjectToName(pod).String())
	}
	return report, nil
}
