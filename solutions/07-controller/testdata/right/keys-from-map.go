//workshop:accept keys-from-map
//workshop:why the keys may be collected in a map
//workshop:step ServiceKeys

package main

import (
	"fmt"
	"maps"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func ServiceKeys(obj any) ([]cache.ObjectName, error) {
	tombstone, unseen := obj.(cache.DeletedFinalStateUnknown)
	if unseen {
		obj = tombstone.Obj
	}
	ingress, ok := obj.(*networkingv1.Ingress)
	if !ok || ingress == nil {
		if !unseen {
			return nil, fmt.Errorf("want an ingress, got %T", obj)
		}
		name, err := cache.ParseObjectName(tombstone.Key)
		if err != nil {
			return nil, fmt.Errorf("name a deleted ingress: %w", err)
		}
		return []cache.ObjectName{name}, nil
	}
	name := cache.MetaObjectToName(ingress)
	keys := map[cache.ObjectName]bool{name: true}
	if owner := metav1.GetControllerOf(ingress); owner != nil && isService(owner) {
		keys[cache.ObjectName{Namespace: name.Namespace, Name: owner.Name}] = true
	}
	return slices.Collect(maps.Keys(keys)), nil
}
