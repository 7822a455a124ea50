//workshop:mutant app-empty-label-dropped
//workshop:fault a label without text is taken for no label
//workshop:step 1
//workshop:want an empty label

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	if app := pod.Labels[AppLabel]; app != "" {
		return []string{app}, nil
	}
	return nil, nil
}
