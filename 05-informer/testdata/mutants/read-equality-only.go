//workshop:mutant read-equality-only
//workshop:fault the selector is taken apart by hand
//workshop:step 4
//workshop:want app notin (web)
//workshop:want whole language

package main

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
)

func ReadPods(pods corelisters.PodNamespaceLister, selector string) ([]*corev1.Pod, error) {
	set := labels.Set{}
	if key, value, ok := strings.Cut(selector, "="); ok {
		set[key] = value
	}
	parsed := labels.SelectorFromSet(set)
	cached, err := pods.List(parsed)
	if err != nil {
		return nil, err
	}
	copies := make([]*corev1.Pod, 0, len(cached))
	for _, pod := range cached {
		copies = append(copies, pod.DeepCopy())
	}
	slices.SortFunc(copies, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return copies, nil
}
