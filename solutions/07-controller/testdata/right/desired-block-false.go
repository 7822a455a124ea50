//workshop:accept desired-block-false
//workshop:why blockOwnerDeletion may be false in words, and the error may be wrapped
//workshop:step DesiredIngress

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

func DesiredIngress(service *corev1.Service, options Options) (*networkingv1.Ingress, error) {
	if service.Annotations[httpAnnotation] != "true" {
		return nil, nil
	}
	port, err := backendPort(service)
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", cache.MetaObjectToName(service), err)
	}
	host, err := hostOf(service, options.Domain)
	if err != nil {
		return nil, err
	}
	owner := metav1.NewControllerRef(service, corev1.SchemeGroupVersion.WithKind("Service"))
	owner.BlockOwnerDeletion = new(false)
	ingress := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       service.Namespace,
			Name:            service.Name,
			OwnerReferences: []metav1.OwnerReference{*owner},
		},
		Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{
			Host: host,
			IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
				Paths: []networkingv1.HTTPIngressPath{{
					Path:     "/",
					PathType: new(networkingv1.PathTypePrefix),
					Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
						Name: service.Name,
						Port: port,
					}},
				}},
			}},
		}}},
	}
	if options.IngressClass != "" {
		ingress.Spec.IngressClassName = new(options.IngressClass)
	}
	return ingress, nil
}
