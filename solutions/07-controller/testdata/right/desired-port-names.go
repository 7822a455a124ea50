//workshop:accept desired-port-names
//workshop:why a port may be named by its name wherever it has one that an Ingress takes
//workshop:step DesiredIngress

package main

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

func backendPort(service *corev1.Service) (networkingv1.ServiceBackendPort, error) {
	ports := service.Spec.Ports
	switch {
	case service.Spec.Type == corev1.ServiceTypeExternalName:
		return networkingv1.ServiceBackendPort{}, &InvalidError{"a Service of the type ExternalName has no endpoints that an Ingress could lead to"}
	case len(ports) == 0:
		return networkingv1.ServiceBackendPort{}, &InvalidError{"the Service has no ports"}
	}
	wanted := service.Annotations[portAnnotation]
	number, notNumber := strconv.ParseInt(wanted, 10, 32)
	for _, port := range ports {
		switch {
		case wanted == "" && port.Name == "http", wanted != "" && port.Name == wanted:
			return portOf(port), nil
		case wanted != "" && notNumber == nil && int64(port.Port) == number:
			return portOf(port), nil
		}
	}
	if wanted != "" {
		return networkingv1.ServiceBackendPort{}, &InvalidError{fmt.Sprintf("annotation %s: %q is neither name nor number of one of the Service's ports", portAnnotation, wanted)}
	}
	return portOf(ports[0]), nil
}

func portOf(port corev1.ServicePort) networkingv1.ServiceBackendPort {
	if len(validation.IsValidPortName(port.Name)) == 0 {
		return networkingv1.ServiceBackendPort{Name: port.Name}
	}
	return networkingv1.ServiceBackendPort{Number: port.Port}
}
