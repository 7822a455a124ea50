//workshop:mutant keys-controller-pointer
//workshop:fault an owner that says controller: false counts as the controller
//workshop:step 4
//workshop:want controller: false

package main

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
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
	keys := []cache.ObjectName{name}
	for _, owner := range ingress.OwnerReferences {
		if owner.Controller != nil && isService(&owner) && owner.Name != name.Name {
			keys = append(keys, cache.ObjectName{Namespace: name.Namespace, Name: owner.Name})
		}
	}
	return keys, nil
}
