//workshop:mutant nsapp-pod-name
//workshop:fault the value is the key of the pod
//workshop:step 5
//workshop:want want ["shop/web"]

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	return []string{pod.Namespace + "/" + pod.Name}, nil
}
