//workshop:mutant read-shallow-copy
//workshop:fault the copies share maps and slices with the cache
//workshop:step 4
//workshop:want shares its maps

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
	cached, err := pods.List(parsed)
	if err != nil {
		return nil, err
	}
	copies := make([]*corev1.Pod, 0, len(cached))
	for _, pod := range cached {
		shallow := *pod
		copies = append(copies, &shallow)
	}
	slices.SortFunc(copies, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return copies, nil
}
