//workshop:mutant nsapp-unlabelled-value
//workshop:fault a pod without the label is found under "namespace/"
//workshop:step 5
//workshop:want every pod without the label would be found

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	return []string{pod.Namespace + "/" + pod.Labels[AppLabel]}, nil
}
