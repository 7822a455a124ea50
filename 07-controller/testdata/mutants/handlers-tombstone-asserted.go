//workshop:mutant handlers-tombstone-asserted
//workshop:fault a deletion that nobody saw ends the program
//workshop:step 3
//workshop:want panic

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

func serviceKey(obj any) ([]cache.ObjectName, error) {
	return []cache.ObjectName{cache.MetaObjectToName(obj.(*corev1.Service))}, nil
}
