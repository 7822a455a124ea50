//workshop:mutant nsapp-unlabelled-error
//workshop:fault a pod without the label is an error
//workshop:step 5
//workshop:want the cache panics on an error

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, fmt.Errorf("pod %s has no label %s", pod.Name, AppLabel)
	}
	return []string{pod.Namespace + "/" + app}, nil
}
