//workshop:mutant app-tombstone-error
//workshop:fault meta.Accessor fails for a tombstone, and the error is returned
//workshop:step 1
//workshop:want the cache panics on an error

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

func AppIndexFunc(obj any) ([]string, error) {
	object, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	if _, ok := obj.(*corev1.Pod); !ok {
		return nil, nil
	}
	app, ok := object.GetLabels()[AppLabel]
	if !ok {
		return nil, nil
	}
	return []string{app}, nil
}
