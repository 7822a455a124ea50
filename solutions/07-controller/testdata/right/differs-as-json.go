//workshop:accept differs-as-json
//workshop:why the rules may be compared as JSON
//workshop:step NeedsChange

package main

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func NeedsChange(service *corev1.Service, existing, desired *networkingv1.Ingress) (bool, error) {
	if !metav1.IsControlledBy(existing, service) {
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
	have, err := json.Marshal(existing.Spec.Rules)
	if err != nil {
		return false, err
	}
	wish, err := json.Marshal(desired.Spec.Rules)
	if err != nil {
		return false, err
	}
	got, want := metav1.GetControllerOf(existing), metav1.GetControllerOf(desired)
	return got.APIVersion != want.APIVersion || got.Kind != want.Kind || got.Name != want.Name ||
		string(have) != string(wish), nil
}
