//workshop:mutant app-writes-label
//workshop:fault the pod without labels is given a map, in the cache
//workshop:step 1
//workshop:want changed the pod

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	if pod.Labels == nil {
		pod.Labels = map[string]string{"seen": "yes"}
	}
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{app}, nil
}
