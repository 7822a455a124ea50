//workshop:mutant report-full-scan
//workshop:fault the whole cache is read and filtered
//workshop:step 4
//workshop:want the whole cache is read

package main

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func ReportApp(indexer cache.TypedIndexer[*corev1.Pod], app string) (*AppReport, error) {
	var pods []*corev1.Pod
	var keys []string
	for _, obj := range indexer.List() {
		if pod := obj.(*corev1.Pod); pod.Labels[AppLabel] == app {
			pods = append(pods, pod)
			keys = append(keys, pod.Namespace+"/"+pod.Name)
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	slices.Sort(keys)
	if _, err := indexer.IndexKeys(AppIndex, app); err != nil {
		return nil, err
	}
	apps := indexer.ListIndexFuncValues(AppIndex)
	slices.Sort(apps)
	return &AppReport{Pods: pods, Keys: keys, Apps: apps}, nil
}
