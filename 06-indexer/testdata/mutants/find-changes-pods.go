//workshop:mutant find-changes-pods
//workshop:fault the pods that are found are marked, in the cache
//workshop:step 8
//workshop:want was changed

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

func FindPods(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], q Query) ([]*corev1.Pod, error) {
	selector := q.Selector
	if selector == nil {
		selector = labels.Everything()
	}
	var pods []*corev1.Pod
	switch {
	case labels.MatchesNothing(selector):
	case q.Fresh:
		if q.App != "" {
			isApp, err := labels.NewRequirement(AppLabel, selection.Equals, []string{q.App})
			if err != nil {
				return nil, fmt.Errorf("select app %q: %w", q.App, err)
			}
			selector = selector.Add(*isApp)
		}
		list, err := client.CoreV1().Pods(q.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
		if err != nil {
			return nil, fmt.Errorf("list pods that match %q: %w", selector, err)
		}
		for i := range list.Items {
			pods = append(pods, &list.Items[i])
		}
	case q.App != "":
		found, err := indexer.ByTypedIndex(AppIndex, q.App)
		if err != nil {
			return nil, fmt.Errorf("find the pods of app %s: %w", q.App, err)
		}
		for _, pod := range found {
			if selector.Matches(labels.Set(pod.Labels)) && (q.Namespace == "" || q.Namespace == pod.Namespace) {
				pod.ManagedFields, pod.Status.Message = nil, "found"
				pods = append(pods, pod)
			}
		}
	default:
		var err error
		pods, err = corelisters.NewPodLister(indexer).Pods(q.Namespace).List(selector)
		if err != nil {
			return nil, fmt.Errorf("list cached pods that match %q: %w", selector, err)
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return pods, nil
}
