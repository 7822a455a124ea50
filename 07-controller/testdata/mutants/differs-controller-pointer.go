//workshop:mutant differs-controller-pointer
//workshop:fault an owner that says controller: false counts as the controller
//workshop:step 2
//workshop:want controller: false

package main

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func NeedsChange(service *corev1.Service, existing, desired *networkingv1.Ingress) (bool, error) {
	ours := false
	for _, owner := range existing.OwnerReferences {
		ours = ours || owner.Controller != nil && owner.UID == service.UID
	}
	if !ours {
		return false, &ForeignError{Ingress: cache.MetaObjectToName(existing), Owner: metav1.GetControllerOf(existing)}
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
