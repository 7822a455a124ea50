//workshop:accept desired-port-digits-first
//workshop:why whether it is a number or a name may be asked first
//workshop:step DesiredIngress

package main

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
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
	number, notNumber := strconv.ParseUint(wanted, 10, 16)
	for _, port := range ports {
		switch {
		case wanted == "" && port.Name == "http", wanted != "" && port.Name == wanted:
			// By its number: an Ingress does not take each name that a Service takes.
			return networkingv1.ServiceBackendPort{Number: port.Port}, nil
		case wanted != "" && notNumber == nil && uint64(port.Port) == number:
			return networkingv1.ServiceBackendPort{Number: port.Port}, nil
		}
	}
	if wanted != "" {
		return networkingv1.ServiceBackendPort{}, &InvalidError{fmt.Sprintf("annotation %s: %q is neither name nor number of one of the Service's ports", portAnnotation, wanted)}
	}
	return networkingv1.ServiceBackendPort{Number: ports[0].Port}, nil
}
