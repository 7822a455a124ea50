//workshop:accept differs-by-hand
//workshop:why the owner and the rules may be compared by hand
//workshop:step NeedsChange

package main

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func NeedsChange(service *corev1.Service, existing, desired *networkingv1.Ingress) (bool, error) {
	var ours *metav1.OwnerReference
	for i := range existing.OwnerReferences {
		owner := &existing.OwnerReferences[i]
		if owner.Controller != nil && *owner.Controller && owner.UID == service.UID {
			ours = owner
		}
	}
	if ours == nil {
		return false, &ForeignError{Ingress: cache.ObjectName{Namespace: existing.Namespace, Name: existing.Name}, Owner: metav1.GetControllerOf(existing)}
	}
	if existing.DeletionTimestamp != nil {
		return false, nil
	}
	if desired == nil {
		return true, nil
	}
	if want := desired.Spec.IngressClassName; want != nil && (existing.Spec.IngressClassName == nil || *existing.Spec.IngressClassName != *want) {
		return true, nil
	}
	owner := *ours
	owner.BlockOwnerDeletion = nil
	return !reflect.DeepEqual(owner, desired.OwnerReferences[0]) || !reflect.DeepEqual(existing.Spec.Rules, desired.Spec.Rules), nil
}
