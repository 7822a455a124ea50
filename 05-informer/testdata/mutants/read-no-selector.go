//workshop:mutant read-no-selector
//workshop:fault the selector is not used
//workshop:step 4
//workshop:want app=web
//workshop:want not used

package main

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
)

func ReadPods(pods corelisters.PodNamespaceLister, selector string) ([]*corev1.Pod, error) {
	cached, err := pods.List(labels.Everything())
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
