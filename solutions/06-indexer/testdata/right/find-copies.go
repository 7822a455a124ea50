//workshop:accept find-copies
//workshop:why copies are as right as the cache's own pods
//workshop:step FindPods

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
	if labels.MatchesNothing(selector) {
		return nil, nil
	}
	if q.Fresh {
		if q.App != "" {
			isApp, err := labels.NewRequirement(AppLabel, selection.Equals, []string{q.App})
			if err != nil {
				return nil, err
			}
			selector = selector.Add(*isApp)
		}
		list, err := client.CoreV1().Pods(q.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
		if err != nil {
			return nil, fmt.Errorf("list pods: %w", err)
		}
		for i := range list.Items {
			pods = append(pods, &list.Items[i])
		}
		return sorted(pods), nil
	}
	if q.App != "" {
		found, err := indexer.ByTypedIndex(AppIndex, q.App)
		if err != nil {
			return nil, err
		}
		for _, pod := range found {
			if (q.Namespace == "" || pod.Namespace == q.Namespace) && selector.Matches(labels.Set(pod.Labels)) {
				pods = append(pods, pod.DeepCopy())
			}
		}
		return sorted(pods), nil
	}
	pods, err := corelisters.NewPodLister(indexer).Pods(q.Namespace).List(selector)
	if err != nil {
		return nil, err
	}
	return sorted(pods), nil
}

func sorted(pods []*corev1.Pod) []*corev1.Pod {
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return pods
}
