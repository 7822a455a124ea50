//workshop:mutant app-empty-value
//workshop:fault a pod without the label gets the empty string as its value
//workshop:step 1
//workshop:want is not "no values"

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	return []string{pod.Labels[AppLabel]}, nil
}
