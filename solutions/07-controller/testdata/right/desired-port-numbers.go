//workshop:accept desired-port-numbers
//workshop:why a port may be named by its number in every case
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
	number, notNumber := strconv.ParseInt(wanted, 10, 32)
	for _, port := range ports {
		switch {
		case wanted == "" && port.Name == "http", wanted != "" && port.Name == wanted:
			return networkingv1.ServiceBackendPort{Number: port.Port}, nil
		case wanted != "" && notNumber == nil && int64(port.Port) == number:
			return networkingv1.ServiceBackendPort{Number: port.Port}, nil
		}
	}
	if wanted != "" {
		return networkingv1.ServiceBackendPort{}, &InvalidError{fmt.Sprintf("annotation %s: %q is neither name nor number of one of the Service's ports", portAnnotation, wanted)}
	}
	return networkingv1.ServiceBackendPort{Number: ports[0].Port}, nil
}
