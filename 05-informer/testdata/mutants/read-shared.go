//workshop:mutant read-shared
//workshop:fault the cached objects themselves are returned
//workshop:step 4
//workshop:want caller changed
//workshop:want DeepCopy

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
	slices.SortFunc(cached, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return cached, nil
}
