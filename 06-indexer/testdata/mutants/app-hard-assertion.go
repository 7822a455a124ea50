//workshop:mutant app-hard-assertion
//workshop:fault the type assertion panics for anything else than a pod
//workshop:step 1
//workshop:want panicked
//workshop:want value, ok := x.(T)

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod := obj.(*corev1.Pod)
	if app, ok := pod.Labels[AppLabel]; ok {
		return []string{app}, nil
	}
	return nil, nil
}
