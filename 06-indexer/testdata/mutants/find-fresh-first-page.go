//workshop:mutant find-fresh-first-page
//workshop:fault one request with a limit, and a long answer is cut
//workshop:step 8
//workshop:want a limit cuts

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
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
			r, err := labels.NewRequirement(AppLabel, "=", []string{q.App})
			if err != nil {
				return nil, err
			}
			selector = selector.Add(*r)
		}
		list, err := client.CoreV1().Pods(q.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String(), Limit: 500})
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		for i := range list.Items {
			pods = append(pods, &list.Items[i])
		}
	case q.App != "":
		found, err := indexer.ByTypedIndex(AppIndex, q.App)
		if err != nil {
			return nil, fmt.Errorf("find: %w", err)
		}
		for _, pod := range found {
			if (q.Namespace == "" || pod.Namespace == q.Namespace) && selector.Matches(labels.Set(pod.Labels)) {
				pods = append(pods, pod)
			}
		}
	default:
		var err error
		pods, err = corelisters.NewPodLister(indexer).Pods(q.Namespace).List(selector)
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return pods, nil
}
