//workshop:accept desired-owner-by-hand
//workshop:why an owner reference can be written by hand, and the Ingress may carry a label of ours
//workshop:step DesiredIngress

package main

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func DesiredIngress(service *corev1.Service, options Options) (*networkingv1.Ingress, error) {
	if service.Annotations[httpAnnotation] != "true" {
		return nil, nil
	}
	port, err := backendPort(service)
	if err != nil {
		return nil, err
	}
	host, err := hostOf(service, options.Domain)
	if err != nil {
		return nil, err
	}
	owner := &metav1.OwnerReference{APIVersion: "v1", Kind: "Service", Name: service.Name, UID: service.UID, Controller: new(true)}
	ingress := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       service.Namespace,
			Name:            service.Name,
			Labels:          map[string]string{"app.kubernetes.io/managed-by": fieldManager},
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
