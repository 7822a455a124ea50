//workshop:accept report-untyped
//workshop:why ByIndex with a type assertion is the untyped form
//workshop:step ReportApp

package main

import (
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	objs, err := indexer.ByIndex(AppIndex, app)
	if err != nil {
		return nil, err
	}
	report := &AppReport{}
	for _, obj := range objs {
		if pod, ok := obj.(*corev1.Pod); ok {
			report.Pods = append(report.Pods, pod.DeepCopy())
		}
	}
	sort.Slice(report.Pods, func(i, j int) bool {
		a, b := report.Pods[i], report.Pods[j]
		if a.Namespace != b.Namespace {
			return a.Namespace < b.Namespace
		}
		return a.Name < b.Name
	})
	for _, pod := range report.Pods {
		report.Keys = append(report.Keys, pod.Namespace+"/"+pod.Name)
	}
	sort.Strings(report.Keys)
	report.Apps = indexer.ListIndexFuncValues(AppIndex)
	sort.Strings(report.Apps)
	return report, nil
}
