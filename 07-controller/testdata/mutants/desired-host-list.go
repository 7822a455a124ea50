//workshop:mutant desired-host-list
//workshop:fault an annotation with two hosts makes two rules
//workshop:step 1
//workshop:want www.example.com,www.example.net

package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
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
	owner := metav1.NewControllerRef(service, corev1.SchemeGroupVersion.WithKind("Service"))
	owner.BlockOwnerDeletion = nil
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
	for _, more := range strings.Split(service.Annotations[hostAnnotation], ",")[1:] {
		rule := *ingress.Spec.Rules[0].DeepCopy()
		rule.Host = more
		ingress.Spec.Rules = append(ingress.Spec.Rules, rule)
	}
	if options.IngressClass != "" {
		ingress.Spec.IngressClassName = new(options.IngressClass)
	}
	return ingress, nil
}

func hostOf(service *corev1.Service, domain string) (string, error) {
	host, source := strings.Split(service.Annotations[hostAnnotation], ",")[0], "annotation "+hostAnnotation
	if host == "" {
		host, source = service.Name+"."+service.Namespace+"."+domain, "the default host"
	}
	problems := validation.IsDNS1123Subdomain(host)
	if strings.Contains(host, "*") {
		problems = validation.IsWildcardDNS1123Subdomain(host)
	}
	// As the API server reads addresses: 010.0.0.1 is one, too.
	if len(validation.IsValidIPForLegacyField(nil, host, false, nil)) == 0 {
		problems = append(problems, "must be a DNS name, not an IP address")
	}
	if len(problems) > 0 {
		return "", &InvalidError{fmt.Sprintf("%s: %q: %s", source, host, strings.Join(problems, "; "))}
	}
	return host, nil
}
