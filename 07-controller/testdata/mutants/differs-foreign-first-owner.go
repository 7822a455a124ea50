//workshop:mutant differs-foreign-first-owner
//workshop:fault the first owner is called the owner of a foreign Ingress, its controller or not
//workshop:step 2
//workshop:want say whose the Ingress is

package main

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func NeedsChange(service *corev1.Service, existing, desired *networkingv1.Ingress) (bool, error) {
	if !metav1.IsControlledBy(existing, service) {
		foreign := &ForeignError{Ingress: cache.MetaObjectToName(existing)}
		if len(existing.OwnerReferences) > 0 {
			foreign.Owner = &existing.OwnerReferences[0]
		}
		return false, foreign
	}
	switch {
	case existing.DeletionTimestamp != nil:
		return false, nil
	case desired == nil:
		return true, nil
	case desired.Spec.IngressClassName != nil && !equality.Semantic.DeepEqual(existing.Spec.IngressClassName, desired.Spec.IngressClassName):
		return true, nil
	}
	got, want := metav1.GetControllerOf(existing), metav1.GetControllerOf(desired)
	return got.APIVersion != want.APIVersion || got.Kind != want.Kind || got.Name != want.Name ||
		!equality.Semantic.DeepEqual(existing.Spec.Rules, desired.Spec.Rules), nil
}
