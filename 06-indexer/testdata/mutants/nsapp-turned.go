//workshop:mutant nsapp-turned
//workshop:fault the app comes before the namespace
//workshop:step 5
//workshop:want the namespace, a slash and the app

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{app + "/" + pod.Namespace}, nil
}
