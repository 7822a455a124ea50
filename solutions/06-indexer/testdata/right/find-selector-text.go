//workshop:accept find-selector-text
//workshop:why the selector may be put together as text
//workshop:step FindPods

package main

import (
	"context"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func FindPods(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], q Query) ([]*corev1.Pod, error) {
	text := ""
	if q.Selector != nil {
		text = q.Selector.String()
	}
	var pods []*corev1.Pod
	switch {
	case q.Selector != nil && labels.MatchesNothing(q.Selector):
	case q.Fresh:
		if q.App != "" {
			text = strings.Trim(text+","+AppLabel+"="+q.App, ",")
		}
		list, err := client.CoreV1().Pods(q.Namespace).List(ctx, metav1.ListOptions{LabelSelector: text})
		if err != nil {
			return nil, err
		}
		for _, pod := range list.Items {
			pods = append(pods, &pod)
		}
	case q.App != "":
		keys, err := indexer.IndexKeys(AppIndex, q.App)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			obj, ok, err := indexer.GetByKey(key)
			if err != nil || !ok {
				continue
			}
			pod := obj.(*corev1.Pod)
			if q.Namespace != "" && pod.Namespace != q.Namespace || q.Selector != nil && !q.Selector.Matches(labels.Set(pod.Labels)) {
				continue
			}
			pods = append(pods, pod)
		}
	case q.Namespace != "":
		objs, err := indexer.ByIndex(cache.NamespaceIndex, q.Namespace)
		if err != nil {
			return nil, err
		}
		for _, obj := range objs {
			if pod := obj.(*corev1.Pod); q.Selector == nil || q.Selector.Matches(labels.Set(pod.Labels)) {
				pods = append(pods, pod)
			}
		}
	default:
		for _, obj := range indexer.List() {
			if pod := obj.(*corev1.Pod); q.Selector == nil || q.Selector.Matches(labels.Set(pod.Labels)) {
				pods = append(pods, pod)
			}
		}
	}
	sort.Slice(pods, func(i, j int) bool {
		a, b := pods[i], pods[j]
		return a.Namespace < b.Namespace || a.Namespace == b.Namespace && a.Name < b.Name
	})
	return pods, nil
}
