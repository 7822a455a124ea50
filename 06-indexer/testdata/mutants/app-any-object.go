//workshop:mutant app-any-object
//workshop:fault whatever has labels is indexed
//workshop:step 1
//workshop:want index pods only

package main

import (
	"k8s.io/apimachinery/pkg/api/meta"
)

func AppIndexFunc(obj any) ([]string, error) {
	object, err := meta.Accessor(obj)
	if err != nil {
		return nil, nil
	}
	if app, ok := object.GetLabels()[AppLabel]; ok {
		return []string{app}, nil
	}
	return nil, nil
}
