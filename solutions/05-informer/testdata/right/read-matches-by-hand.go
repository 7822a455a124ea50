//workshop:accept read-matches-by-hand
//workshop:why the whole list, and the selector applied by hand
//workshop:step ReadPods

package main

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
)

func ReadPods(pods corelisters.PodNamespaceLister, selector string) ([]*corev1.Pod, error) {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return nil, err
	}
	cached, err := pods.List(labels.Everything())
	if err != nil {
		return nil, err
	}
	copies := []*corev1.Pod{}
	for _, pod := range cached {
		if parsed.Matches(labels.Set(pod.Labels)) {
			copies = append(copies, pod.DeepCopy())
		}
	}
	slices.SortFunc(copies, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return copies, nil
}
