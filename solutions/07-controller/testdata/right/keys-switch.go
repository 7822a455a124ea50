//workshop:accept keys-switch
//workshop:why a switch over the types says the same
//workshop:step ServiceKeys

package main

import (
	"errors"
	"fmt"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/client-go/tools/cache"
)

func ServiceKeys(obj any) ([]cache.ObjectName, error) {
	switch object := obj.(type) {
	case cache.DeletedFinalStateUnknown:
		if ingress, ok := object.Obj.(*networkingv1.Ingress); ok && ingress != nil {
			return ServiceKeys(ingress)
		}
		namespace, name, err := cache.SplitMetaNamespaceKey(object.Key)
		return []cache.ObjectName{{Namespace: namespace, Name: name}}, err
	case *networkingv1.Ingress:
		if object == nil {
			return nil, errors.New("a nil ingress")
		}
		var keys []cache.ObjectName
		for _, owner := range object.OwnerReferences {
			if owner.Controller != nil && *owner.Controller && owner.Kind == "Service" && owner.APIVersion == "v1" {
				keys = append(keys, cache.ObjectName{Namespace: object.Namespace, Name: owner.Name})
			}
		}
		own := cache.ObjectName{Namespace: object.Namespace, Name: object.Name}
		if !slices.Contains(keys, own) {
			keys = append(keys, own)
		}
		return keys, nil
	default:
		return nil, fmt.Errorf("%T is no ingress", obj)
	}
}
