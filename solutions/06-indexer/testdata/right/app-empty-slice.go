//workshop:accept app-empty-slice
//workshop:why an empty slice and nil are both no values
//workshop:step AppIndexFunc

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok || pod == nil {
		return []string{}, nil
	}
	if app, ok := pod.GetLabels()["app"]; ok {
		return []string{app}, nil
	}
	return []string{}, nil
}
