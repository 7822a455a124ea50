//workshop:accept read-label-selector
//workshop:why metav1 parses selectors, too
//workshop:step ReadPods

package main

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
)

func ReadPods(pods corelisters.PodNamespaceLister, selector string) ([]*corev1.Pod, error) {
	structured, err := metav1.ParseToLabelSelector(selector)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	parsed, err := metav1.LabelSelectorAsSelector(structured)
	if err != nil {
		return nil, fmt.Errorf("convert: %w", err)
	}
	cached, err := pods.List(parsed)
	if err != nil {
		return nil, err
	}
	byName := map[string]*corev1.Pod{}
	var names []string
	for _, pod := range cached {
		byName[pod.Name] = pod.DeepCopy()
		names = append(names, pod.Name)
	}
	slices.Sort(names)
	var out []*corev1.Pod
	for _, name := range names {
		out = append(out, byName[name])
	}
	return out, nil
}
