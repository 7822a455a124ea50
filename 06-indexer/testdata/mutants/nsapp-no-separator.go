//workshop:mutant nsapp-no-separator
//workshop:fault namespace and app run into each other
//workshop:step 5
//workshop:want a slash

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{pod.Namespace + app}, nil
}
