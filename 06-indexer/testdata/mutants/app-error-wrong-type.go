//workshop:mutant app-error-wrong-type
//workshop:fault an object of another type is an error
//workshop:step 1
//workshop:want for a Deployment

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, fmt.Errorf("want a pod, got %T", obj)
	}
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{app}, nil
}
