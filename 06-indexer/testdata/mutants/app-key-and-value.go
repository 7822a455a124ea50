//workshop:mutant app-key-and-value
//workshop:fault the value holds the label's key as well, like a selector
//workshop:step 1
//workshop:want want ["web"]

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{AppLabel + "=" + app}, nil
}
