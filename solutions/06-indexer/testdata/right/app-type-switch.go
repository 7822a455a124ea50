//workshop:accept app-type-switch
//workshop:why a type switch tells pods from the rest
//workshop:step AppIndexFunc

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func AppIndexFunc(obj any) ([]string, error) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		if obj == nil || len(obj.Labels) == 0 {
			break
		}
		if app, ok := obj.Labels[AppLabel]; ok {
			return []string{app}, nil
		}
	case cache.DeletedFinalStateUnknown:
	}
	return nil, nil
}
