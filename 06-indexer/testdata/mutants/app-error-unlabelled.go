//workshop:mutant app-error-unlabelled
//workshop:fault an object without the label is an error, on which the cache panics
//workshop:step 1
//workshop:want the cache panics on an error

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, fmt.Errorf("pod %s has no label %s", pod.Name, AppLabel)
	}
	return []string{app}, nil
}
