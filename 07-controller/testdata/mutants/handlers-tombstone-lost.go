//workshop:mutant handlers-tombstone-lost
//workshop:fault a deletion that nobody saw is lost
//workshop:step 3
//workshop:want DeletedFinalStateUnknown

package main

import (
	"k8s.io/client-go/tools/cache"
)

func serviceKey(obj any) ([]cache.ObjectName, error) {
	key, err := cache.ObjectToName(obj)
	return []cache.ObjectName{key}, err
}
