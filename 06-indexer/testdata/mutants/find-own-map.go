//workshop:mutant find-own-map
//workshop:fault the pods are copied once into a map of apps, which no relabelling reaches
//workshop:step 8
//workshop:want kept from an earlier call
//workshop:want relabelled from web to db

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

var byApp struct {
	sync.Mutex
	pods map[cache.TypedIndexer[*corev1.Pod]]map[string][]*corev1.Pod
}

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
		found, err := podsOf(indexer, q.App)
		if err != nil {
			return nil, err
		}
		for _, pod := range found {
			if selector.Matches(labels.Set(pod.Labels)) && (q.Namespace == "" || q.Namespace == pod.Namespace) {
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

func podsOf(indexer cache.TypedIndexer[*corev1.Pod], app string) ([]*corev1.Pod, error) {
	byApp.Lock()
	defer byApp.Unlock()
	if known, ok := byApp.pods[indexer]; ok {
		if pods, ok := known[app]; ok {
			return pods, nil
		}
	}
	pods, err := indexer.ByTypedIndex(AppIndex, app)
	if err != nil {
		return nil, fmt.Errorf("find the pods of app %s: %w", app, err)
	}
	if byApp.pods == nil {
		byApp.pods = map[cache.TypedIndexer[*corev1.Pod]]map[string][]*corev1.Pod{}
	}
	if byApp.pods[indexer] == nil {
		byApp.pods[indexer] = map[string][]*corev1.Pod{}
	}
	byApp.pods[indexer][app] = pods
	return pods, nil
}
