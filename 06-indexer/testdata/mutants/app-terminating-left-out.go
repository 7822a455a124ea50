//workshop:mutant app-terminating-left-out
//workshop:fault a pod whose deletion has begun has no value
//workshop:step 1
//workshop:want the label alone

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok || pod.DeletionTimestamp != nil {
		return nil, nil
	}
	if app, ok := pod.Labels[AppLabel]; ok {
		return []string{app}, nil
	}
	return nil, nil
}
