//workshop:mutant read-remembered
//workshop:fault the copies of a selector are kept and handed out again
//workshop:step 4
//workshop:want an earlier call

package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
)

var remembered = map[string][]*corev1.Pod{}

func ReadPods(pods corelisters.PodNamespaceLister, selector string) ([]*corev1.Pod, error) {
	if kept, ok := remembered[selector]; ok {
		return kept, nil
	}
	parsed, err := labels.Parse(selector)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	cached, err := pods.List(parsed)
	if err != nil {
		return nil, err
	}
	var copies []*corev1.Pod
	for _, pod := range cached {
		copies = append(copies, pod.DeepCopy())
	}
	slices.SortFunc(copies, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	remembered[selector] = copies
	return copies, nil
}
