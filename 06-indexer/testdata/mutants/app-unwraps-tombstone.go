//workshop:mutant app-unwraps-tombstone
//workshop:fault a tombstone is taken for the pod that it holds
//workshop:step 1
//workshop:want a tombstone is not the pod

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func AppIndexFunc(obj any) ([]string, error) {
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, nil
	}
	app, ok := pod.Labels[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{app}, nil
}
