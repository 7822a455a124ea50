//workshop:mutant desired-default-host-unchecked
//workshop:fault only the host of the annotation is looked at, not the one that is put together
//workshop:step 1
//workshop:want put together

package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

func hostOf(service *corev1.Service, domain string) (string, error) {
	host, source := service.Annotations[hostAnnotation], "annotation "+hostAnnotation
	if host == "" {
		return service.Name + "." + service.Namespace + "." + domain, nil
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
