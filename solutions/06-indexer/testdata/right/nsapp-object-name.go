//workshop:accept nsapp-object-name
//workshop:why cache.ObjectName joins with a slash
//workshop:step NamespaceAppIndexFunc

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func NamespaceAppIndexFunc(pod *corev1.Pod) ([]string, error) {
	if app, ok := pod.Labels[AppLabel]; ok {
		return []string{cache.NewObjectName(pod.GetNamespace(), app).String()}, nil
	}
	return []string{}, nil
}
