//workshop:accept find-map-of-maps
//workshop:why the untyped indexes and the indexer's own list, and maps for the order
//workshop:step FindPods

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

func FindPods(ctx context.Context, client kubernetes.Interface, indexer cache.TypedIndexer[*corev1.Pod], q Query) ([]*corev1.Pod, error) {
	fits := func(p *corev1.Pod) bool { return q.Selector == nil || q.Selector.Matches(labels.Set(p.Labels)) }
	var found []any
	var err error
	switch {
	case q.Fresh && q.Selector != nil && labels.MatchesNothing(q.Selector):
		return nil, nil
	case q.Fresh:
		var terms []string
		if q.Selector != nil && !q.Selector.Empty() {
			terms = append(terms, q.Selector.String())
		}
		if q.App != "" {
			terms = append(terms, labels.Set{AppLabel: q.App}.AsSelector().String())
		}
		list, err := client.CoreV1().Pods(q.Namespace).List(ctx, metav1.ListOptions{LabelSelector: strings.Join(terms, ",")})
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		for _, p := range list.Items {
			found = append(found, &p)
		}
	case q.App != "" && q.Namespace != "":
		found, err = indexer.ByIndex(NamespaceAppIndex, q.Namespace+"/"+q.App)
	case q.App != "":
		found, err = indexer.ByIndex(AppIndex, q.App)
	case q.Namespace != "":
		found, err = indexer.ByIndex(cache.NamespaceIndex, q.Namespace)
	default:
		found = indexer.List()
	}
	if err != nil {
		return nil, fmt.Errorf("ask the index: %w", err)
	}
	byNamespace := map[string]map[string]*corev1.Pod{}
	for _, obj := range found {
		p := obj.(*corev1.Pod)
		if !fits(p) {
			continue
		}
		if byNamespace[p.Namespace] == nil {
			byNamespace[p.Namespace] = map[string]*corev1.Pod{}
		}
		byNamespace[p.Namespace][p.Name] = p
	}
	var out []*corev1.Pod
	for _, ns := range slices.Sorted(maps.Keys(byNamespace)) {
		for _, name := range slices.Sorted(maps.Keys(byNamespace[ns])) {
			out = append(out, byNamespace[ns][name])
		}
	}
	return out, nil
}
