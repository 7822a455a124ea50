//workshop:mutant desired-wildcard-refused
//workshop:fault a wildcard is no host
//workshop:step 1
//workshop:want nothing is wrong

package main

import (
	"fmt"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

func hostOf(service *corev1.Service, domain string) (string, error) {
	host, source := service.Annotations[hostAnnotation], "annotation "+hostAnnotation
	if host == "" {
		host, source = service.Name+"."+service.Namespace+"."+domain, "the default host"
	}
	problems := validation.IsDNS1123Subdomain(host)
	if strings.Contains(host, "?") {
		problems = validation.IsWildcardDNS1123Subdomain(host)
	}
	if _, err := netip.ParseAddr(host); err == nil {
		problems = append(problems, "must be a DNS name, not an IP address")
	}
	if len(problems) > 0 {
		return "", &InvalidError{fmt.Sprintf("%s: %q: %s", source, host, strings.Join(problems, "; "))}
	}
	return host, nil
}
