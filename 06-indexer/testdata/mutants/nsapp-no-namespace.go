//workshop:mutant nsapp-no-namespace
//workshop:fault the value is the app alone
//workshop:step 5
//workshop:want an index spans all namespaces

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{app}, nil
}
