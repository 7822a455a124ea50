//workshop:mutant nsapp-two-values
//workshop:fault namespace and app are two values
//workshop:step 5
//workshop:want found under one value that holds both

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{pod.Namespace, app}, nil
}
