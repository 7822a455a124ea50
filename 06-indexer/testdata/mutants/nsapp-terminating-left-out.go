//workshop:mutant nsapp-terminating-left-out
//workshop:fault a pod whose deletion has begun has no value
//workshop:step 5
//workshop:want deletion has begun

package main

import (
	corev1 "k8s.io/api/core/v1"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	app, ok := pod.Labels[AppLabel]
	if !ok || pod.DeletionTimestamp != nil {
		return nil, nil
	}
	return []string{pod.Namespace + "/" + app}, nil
}
