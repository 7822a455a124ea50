//workshop:accept nsapp-sprintf
//workshop:why any way to put two strings together is right
//workshop:step NamespaceAppIndexFunc

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{fmt.Sprintf("%s/%s", pod.Namespace, app)}, nil
}
