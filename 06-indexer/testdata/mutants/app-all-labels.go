//workshop:mutant app-all-labels
//workshop:fault every label is a value
//workshop:step 1
//workshop:want the value of the label app alone

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func AppIndexFunc(obj any) ([]string, error) {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	var values []string
	for _, value := range pod.Labels {
		values = append(values, value)
	}
	return values, nil
}
