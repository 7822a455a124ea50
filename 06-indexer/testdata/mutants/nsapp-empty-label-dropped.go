//workshop:mutant nsapp-empty-label-dropped
//workshop:fault a label without text is taken for no label
//workshop:step 5
//workshop:want an empty label

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	if app := pod.Labels[AppLabel]; app != "" {
		return []string{pod.Namespace + "/" + app}, nil
	}
	return nil, nil
}
