//workshop:mutant nsapp-writes-label
//workshop:fault the pod without an app is given one, in the cache
//workshop:step 5
//workshop:want changed the pod

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	if _, ok := pod.Labels[AppLabel]; !ok {
		if pod.Labels != nil {
			pod.Labels[AppLabel] = ""
		}
		return nil, nil
	}
	return []string{pod.Namespace + "/" + pod.Labels[AppLabel]}, nil
}
