package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/check"
)

func TestStep1_DesiredIngress(t *testing.T) {
	check.Step(t, 1, "DesiredIngress", func(s *check.S) {
		ns := s.Namespace()
		judgeWanted(s, ns)
		judgeBody(s, ns)
		judgePorts(s, ns)
		judgeHosts(s, ns)
		judgeInvalidHosts(s, ns)
		judgeInvalidPorts(s, ns)
		judgePortNames(s, ns)
	})
}

func TestStep2_NeedsChange(t *testing.T) {
	check.Step(t, 2, "NeedsChange", func(s *check.S) {
		ns := s.Namespace()
		service := newService(ns, "web", nil)
		service.UID = types.UID("6e1fb5ac-0000-4000-8000-000000000001")
		want := ingressFor(service, "web.example.com")
		// The server fills in what it fills in.
		existing, err := s.Clientset().NetworkingV1().Ingresses(ns).Create(s.Context(), want, metav1.CreateOptions{})
		s.Setup(err, "create an Ingress")
		judgeSame(s, service, existing, want)
		judgeOwners(s, service, existing, want)
		judgeDifferent(s, service, existing, want)
		judgeClass(s, service, existing, want)
		judgeUnwanted(s, service, existing, want)
	})
}

// desired calls step 1.
func desired(s *check.S, service *corev1.Service, options Options) (*networkingv1.Ingress, error) {
	before := service.DeepCopy()
	got, err := check.Call(s, func(context.Context) (*networkingv1.Ingress, error) { return DesiredIngress(service, options) })
	s.Requiref(reflect.DeepEqual(service, before), "the Service comes from a cache that others read: it must stay as it is",
		"DesiredIngress changed the Service: got %+v, it was %+v", service, before)
	return got, err
}

func judgeWanted(s *check.S, ns string) {
	bare := newService(ns, "web", nil)
	bare.Annotations = nil
	none := []*corev1.Service{bare}
	for _, value := range []string{"false", "", "True", "1", "yes", "true "} {
		none = append(none, newService(ns, "web", map[string]string{askFor: value}))
	}
	noPorts := newService(ns, "web", map[string]string{askFor: "false", askHost: badHost, askPort: "none"})
	noPorts.Spec.Ports = nil
	external := newService(ns, "web", map[string]string{askFor: "false"})
	external.Spec.Type, external.Spec.ExternalName = corev1.ServiceTypeExternalName, "example.net"
	for _, service := range append(none, noPorts, external) {
		got, err := desired(s, service, Options{Domain: "example.com"})
		s.Requiref(got == nil && err == nil, "only the value \"true\" asks for an Ingress: look at the value, not whether the key is there, "+
			"and before anything else of the Service", "for a Service with the annotations %v, want no Ingress and no error, got %s and %s",
			service.Annotations, describeIngress(got), check.ErrorText(err))
	}
}

func describeIngress(ingress *networkingv1.Ingress) string {
	if ingress == nil {
		return "none"
	}
	return fmt.Sprintf("an Ingress with the rules %s", describeRules(ingress.Spec.Rules))
}

func describeRules(rules []networkingv1.IngressRule) string {
	var out []string
	for _, rule := range rules {
		if rule.HTTP == nil {
			out = append(out, rule.Host+" without paths")
			continue
		}
		for _, path := range rule.HTTP.Paths {
			text := rule.Host + path.Path
			if path.PathType != nil {
				text += " (" + string(*path.PathType) + ")"
			}
			if backend := path.Backend.Service; backend != nil {
				text += fmt.Sprintf(" -> %s:%s%d", backend.Name, backend.Port.Name, backend.Port.Number)
			}
			out = append(out, text)
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// must is a Service that can have an Ingress, which the server must take.
func must(s *check.S, service *corev1.Service, options Options) *networkingv1.Ingress {
	got, err := desired(s, service, options)
	s.Requiref(err == nil && got != nil, "nothing is wrong with this Service; see the task for what is",
		"for a Service with the annotations %v and the ports %v, want an Ingress, got %s and %s", service.Annotations, portsOf(service),
		describeIngress(got), check.ErrorText(err))
	judgeOwner(s, service, got)
	err = dryRun(s, got)
	s.Requiref(err == nil, "networking.k8s.io/v1 wants a pathType and an absolute path, a backend.service with either a port's name or its "+
		"number, complete owner references, and a class that is left out rather than empty", "the API server does not take the Ingress: %s",
		check.ErrorText(err))
	return got
}

// dryRun asks the server whether it would take the Ingress.
func dryRun(s *check.S, ingress *networkingv1.Ingress) error {
	ingresses := s.Clientset().NetworkingV1().Ingresses(ingress.Namespace)
	_, err := ingresses.Create(s.Context(), ingress, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// judgeOwner looks at whose the Ingress is, before the server does.
func judgeOwner(s *check.S, service *corev1.Service, got *networkingv1.Ingress) {
	s.Requiref(got.Name == service.Name && got.Namespace == service.Namespace, "it has the Service's name and namespace; an owner in "+
		"another namespace does not count, and the garbage collector would delete the Ingress", "the Ingress is %s/%s, want %s/%s", got.Namespace,
		got.Name, service.Namespace, service.Name)
	s.Requiref(len(got.OwnerReferences) == 1, "without an owner reference the Ingress stays when the Service is deleted; "+
		"metav1.NewControllerRef makes one", "the Ingress has %d owner references, want 1", len(got.OwnerReferences))
	owner := got.OwnerReferences[0]
	s.Requiref(owner.APIVersion == "v1" && owner.Kind == "Service", "an object from a client or a cache has an empty TypeMeta: name the "+
		"kind yourself, corev1.SchemeGroupVersion.WithKind(\"Service\")", "the owner is apiVersion %q, kind %q; want v1, Service",
		owner.APIVersion, owner.Kind)
	s.Requiref(owner.Name == service.Name && owner.UID == service.UID, "the owner is the Service itself, with its UID",
		"the owner is %q with uid %q, want %q with %q", owner.Name, owner.UID, service.Name, service.UID)
	s.Require(owner.Controller != nil && *owner.Controller, "the owner reference does not say controller: true",
		"of several owners one is the controller, and step 2 looks for that one")
	s.Require(owner.BlockOwnerDeletion == nil || !*owner.BlockOwnerDeletion, "the owner reference says blockOwnerDeletion: true",
		"metav1.NewControllerRef sets it. Where the admission plugin OwnerReferencesPermissionEnforcement is on, that needs the permission to "+
			"update services/finalizers: set it to nil")
}

func portsOf(service *corev1.Service) string {
	var out []string
	for _, port := range service.Spec.Ports {
		out = append(out, fmt.Sprintf("%s:%d", port.Name, port.Port))
	}
	return "[" + strings.Join(out, " ") + "]"
}

func judgeBody(s *check.S, ns string) {
	service := newService(ns, "web", nil)
	service.Labels = map[string]string{"app": "web"}
	got := must(s, service, Options{Domain: "example.com"})
	s.Requiref(got.Spec.IngressClassName == nil, "only a class that is left out leaves the choice to the cluster's default",
		"without --ingress-class the Ingress has the class %q, want none", deref(got.Spec.IngressClassName))
	for what, edit := range map[string]func(*corev1.Service){
		"headless":     func(service *corev1.Service) { service.Spec.ClusterIP = corev1.ClusterIPNone },
		"NodePort":     func(service *corev1.Service) { service.Spec.Type = corev1.ServiceTypeNodePort },
		"LoadBalancer": func(service *corev1.Service) { service.Spec.Type = corev1.ServiceTypeLoadBalancer },
	} {
		service := newService(ns, "web", nil)
		edit(service)
		got, err := desired(s, service, Options{Domain: "example.com"})
		s.Requiref(got != nil && err == nil, "of the types of Services, only ExternalName has no endpoints that an Ingress could lead to",
			"for a Service that is %s, want an Ingress, got none and %s", what, check.ErrorText(err))
	}
	classed := must(s, newService(ns, "web", nil), Options{Domain: "example.com", IngressClass: "nginx"})
	s.Requiref(deref(classed.Spec.IngressClassName) == "nginx", "spec.ingressClassName is the options' IngressClass",
		"with the class nginx in the options, the Ingress has %q", deref(classed.Spec.IngressClassName))

	rules := describeRules(got.Spec.Rules)
	s.Requiref(len(got.Spec.Rules) == 1 && got.Spec.Rules[0].HTTP != nil && len(got.Spec.Rules[0].HTTP.Paths) == 1,
		"one Service, one host, one path", "want one rule with one path, got %s", rules)
	s.Require(got.Spec.DefaultBackend == nil, "the Ingress has a default backend", "it would take the requests for every other host as "+
		"well: one rule is all that the Service asks for")
	path := got.Spec.Rules[0].HTTP.Paths[0]
	s.Requiref(path.Path == "/" && path.PathType != nil && *path.PathType == networkingv1.PathTypePrefix, "Prefix with / takes everything; "+
		"Exact takes the first page only", "want the path / of the type Prefix, got %s", rules)
	s.Requiref(path.Backend.Service != nil && path.Backend.Service.Name == "web", "the backend is the Service itself",
		"want the Service web as the backend, got %s", rules)
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func hostOfIngress(ingress *networkingv1.Ingress) string {
	if len(ingress.Spec.Rules) == 0 {
		return ""
	}
	return ingress.Spec.Rules[0].Host
}

// portOfIngress is the port of the backend of an Ingress that must is content with.
func portOfIngress(ingress *networkingv1.Ingress) networkingv1.ServiceBackendPort {
	return ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port
}

// asking is a map of annotations with one of its values, none where it is empty.
func asking(annotation, value string) map[string]string {
	if value == "" {
		return nil
	}
	return map[string]string{annotation: value}
}

func judgePorts(s *check.S, ns string) {
	ports := []corev1.ServicePort{{Name: "metrics", Port: 9090}, {Name: "http", Port: 8080}, {Name: "p80", Port: 81}}
	unnamed := []corev1.ServicePort{{Port: 3000}}
	alike := []corev1.ServicePort{{Name: "https", Port: 8443}, {Name: "http-admin", Port: 8081}, {Name: "http", Port: 8080}}
	noHTTP := []corev1.ServicePort{{Name: "grpc", Port: 9000}, {Name: "web", Port: 80}}
	for _, c := range []struct {
		ports  []corev1.ServicePort
		wanted string
		want   corev1.ServicePort
		why    string
	}{
		{unnamed, "", unnamed[0], "with one port it is that one; nothing is hard-coded"},
		{ports, "", ports[1], "without the annotation, the port called http comes before the first one"},
		{alike, "", alike[2], "without the annotation, it is the port whose name is http; https and http-admin are others"},
		{noHTTP, "", noHTTP[0], "without the annotation and a port called http, it is the first one"},
		{ports, "9090", ports[0], "the annotation " + askPort + " may be a port's number"},
		{ports, "metrics", ports[0], "the annotation " + askPort + " may be a port's name"},
		{ports, "p80", ports[2], "the annotation " + askPort + " may be a port's name, also one with digits in it"},
		{unnamed, "3000", unnamed[0], "the annotation " + askPort + " may be a port's number"},
	} {
		service := newService(ns, "web", asking(askPort, c.wanted), c.ports...)
		port := portOfIngress(must(s, service, Options{Domain: "example.com"}))
		right := port.Number == c.want.Port && port.Name == "" || c.want.Name != "" && port.Name == c.want.Name && port.Number == 0
		s.Requiref(right, c.why, "with the ports %s and %s %q, want the port %s:%d, got %s:%d", portsOf(service), askPort, c.wanted, c.want.Name,
			c.want.Port, port.Name, port.Number)
	}
}

func judgeHosts(s *check.S, ns string) {
	for _, c := range []struct{ name, domain, host, want string }{
		{"web", "example.com", "", "web." + ns + ".example.com"},
		{"shop", "apps.example.org", "", "shop." + ns + ".apps.example.org"},
		{"web", "example.com", "www.example.net", "www.example.net"},
		{"web", "example.com", "*.example.net", "*.example.net"},
		{"web", "example.com", "localhost", "localhost"},
	} {
		got := hostOfIngress(must(s, newService(ns, c.name, asking(askHost, c.host)), Options{Domain: c.domain}))
		s.Requiref(got == c.want, "the host is the annotation, or else NAME.NAMESPACE.DOMAIN; one host for all Services would have them fight",
			"for Service %s with the domain %s and %s %q, the host is %q, want %q", c.name, c.domain, askHost, c.host, got, c.want)
	}
}

// requireInvalid wants an *InvalidError for the Service that what describes.
func requireInvalid(s *check.S, service *corev1.Service, what, mention string) {
	got, err := desired(s, service, Options{Domain: "example.com"})
	s.Requiref(got == nil, "take a value as it is: the API server refuses such an Ingress, or it leads nowhere. "+
		"validation.IsDNS1123Subdomain and IsWildcardDNS1123Subdomain know the rules of names; a port must be one of the Service's",
		"for %s, want no Ingress, got %s", what, describeIngress(got))
	var invalid *InvalidError
	s.Requiref(errors.As(err, &invalid), "the caller tells this from a failure by the type: no retry mends it",
		"for %s, want an *InvalidError, got %s", what, check.ErrorText(err))
	s.Requiref(strings.Contains(err.Error(), mention), "people read it in an Event, and want to know which value is wrong",
		"for %s, the error says %q and does not name the value", what, err)
}

func judgeInvalidHosts(s *check.S, ns string) {
	for _, host := range []string{
		"a_b.example.com", "Shop.example.com", "http://example.com", "example.com/x", "example..com", "10.0.0.1", "*", "www.*.example.com",
		"*.*.example.com", "-a.example.com", "www.example.com.", "www.example.com,www.example.net", strings.Repeat("a", 254),
	} {
		requireInvalid(s, newService(ns, "web", asking(askHost, host)), fmt.Sprintf("the host %q", host), host)
	}
	for _, domain := range []string{"apps_example.org", strings.Repeat("a.", 124) + "org"} {
		got, err := desired(s, newService(ns, "web", nil), Options{Domain: domain})
		var invalid *InvalidError
		s.Requiref(got == nil && errors.As(err, &invalid), "the host that is put together of name, namespace and domain has to be one that the "+
			"API server takes, as well as the one of the annotation", "for a Service without %s and the domain %q, want an *InvalidError, got %s "+
			"and %s", askHost, domain, describeIngress(got), check.ErrorText(err))
	}
}

func judgeInvalidPorts(s *check.S, ns string) {
	external := newService(ns, "web", nil)
	external.Spec.Type, external.Spec.ExternalName = corev1.ServiceTypeExternalName, "example.net"
	requireInvalid(s, external, "a Service of the type ExternalName", "")
	noPorts := newService(ns, "web", nil)
	noPorts.Spec.Ports = nil
	requireInvalid(s, noPorts, "a Service without ports", "")
	for _, port := range []string{"0", "81", "-8080", "web", "8080.0", "8080/TCP", "4294975376", "99999999999999999999"} {
		service := newService(ns, "web", asking(askPort, port), corev1.ServicePort{Name: "http", Port: 8080})
		requireInvalid(s, service, fmt.Sprintf("the port %q of a Service with http:8080", port), port)
	}
}

// judgePortNames: a Service takes names of ports that an Ingress refuses.
func judgePortNames(s *check.S, ns string) {
	for _, name := range []string{"a-name-that-is-longer-than-15", "8080", "web--admin"} {
		for _, wanted := range []string{"", name, "80"} {
			service := newService(ns, "web", asking(askPort, wanted), corev1.ServicePort{Name: name, Port: 80})
			got, err := desired(s, service, Options{Domain: "example.com"})
			s.Requiref(err == nil && got != nil, "nothing is wrong with this Service: its ports have names that the API server takes",
				"for a Service with the ports %s and %s %q, want an Ingress, got %s and %s", portsOf(service), askPort, wanted, describeIngress(got),
				check.ErrorText(err))
			port, err := portOfIngress(got), dryRun(s, got)
			s.Requiref(err == nil, "a Service takes longer names of ports than an Ingress, and digits alone: name such a port by its number "+
				"(validation.IsValidPortName)", "for a Service with the ports %s, the API server does not take an Ingress that leads to the port %q "+
				"%d: %s", portsOf(service), port.Name, port.Number, check.ErrorText(err))
			s.Requiref(port.Number == 80, "this name is none that an Ingress takes: the number is left", "for a Service with the ports %s and %s "+
				"%q, the Ingress leads to the port %q %d, want 80", portsOf(service), askPort, wanted, port.Name, port.Number)
		}
	}
}

// needsChange calls the step with copies of its own.
func needsChange(s *check.S, service *corev1.Service, existing, want *networkingv1.Ingress) (bool, error) {
	first, second := existing.DeepCopy(), want.DeepCopy()
	change, err := check.Call(s, func(context.Context) (bool, error) { return NeedsChange(service, first, second) })
	s.Require(sameIngress(first, existing) && sameIngress(second, want), "NeedsChange changed one of the two Ingresses",
		"existing comes from a cache that others read: it must stay as it is")
	return change, err
}

func sameIngress(a, b *networkingv1.Ingress) bool { return reflect.DeepEqual(a, b) }

// requireChange calls the step and wants an answer without an error.
func requireChange(s *check.S, service *corev1.Service, existing, desired *networkingv1.Ingress, want bool, what, cause string) {
	change, err := needsChange(s, service, existing, desired)
	s.Requiref(err == nil && change == want, cause, "for an Ingress %s: got change %v and %s, want %v and no error", what, change,
		check.ErrorText(err), want)
}

func edited(ingress *networkingv1.Ingress, edit func(*networkingv1.Ingress)) *networkingv1.Ingress {
	ingress = ingress.DeepCopy()
	edit(ingress)
	return ingress
}

func judgeSame(s *check.S, service *corev1.Service, existing, want *networkingv1.Ingress) {
	for what, edit := range map[string]func(*networkingv1.Ingress){
		"as the server returns it":    func(*networkingv1.Ingress) {},
		"without managedFields":       func(i *networkingv1.Ingress) { i.ManagedFields = nil },
		"with another writer's label": func(i *networkingv1.Ingress) { i.Labels = map[string]string{"team": "red"} },
		"with another writer's annotation": func(i *networkingv1.Ingress) {
			i.Annotations = map[string]string{"cert-manager.io/issuer": "x"}
		},
		"with TLS from another writer": func(i *networkingv1.Ingress) {
			i.Spec.TLS = []networkingv1.IngressTLS{{Hosts: []string{"web.example.com"}, SecretName: "web"}}
		},
		"with a default backend": func(i *networkingv1.Ingress) {
			i.Spec.DefaultBackend = i.Spec.Rules[0].HTTP.Paths[0].Backend.DeepCopy()
		},
		"with the cluster's default class": func(i *networkingv1.Ingress) { i.Spec.IngressClassName = new("nginx") },
		"with a finalizer":                 func(i *networkingv1.Ingress) { i.Finalizers = []string{"example.com/hold"} },
		"with a second owner that is no controller": func(i *networkingv1.Ingress) {
			i.OwnerReferences = append([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "x", UID: "x"}}, i.OwnerReferences...)
		},
		"with blockOwnerDeletion from another writer": func(i *networkingv1.Ingress) { i.OwnerReferences[0].BlockOwnerDeletion = new(true) },
		"with an address in its status": func(i *networkingv1.Ingress) {
			i.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{IP: "192.0.2.1"}}
		},
	} {
		requireChange(s, service, edited(existing, edit), want, false, "as desired, "+what,
			"compare only the fields that step 1 sets: who compares whole objects finds what the server or another writer set, and writes for ever")
	}
}

func judgeDifferent(s *check.S, service *corev1.Service, existing, want *networkingv1.Ingress) {
	backend := func(i *networkingv1.Ingress) *networkingv1.HTTPIngressPath { return &i.Spec.Rules[0].HTTP.Paths[0] }
	for what, edit := range map[string]func(*networkingv1.Ingress){
		"with another host":      func(i *networkingv1.Ingress) { i.Spec.Rules[0].Host = "x.example.com" },
		"with another path":      func(i *networkingv1.Ingress) { backend(i).Path = "/x" },
		"with another path type": func(i *networkingv1.Ingress) { backend(i).PathType = new(networkingv1.PathTypeExact) },
		"with another port":      func(i *networkingv1.Ingress) { backend(i).Backend.Service.Port.Number = 1 },
		"with another backend":   func(i *networkingv1.Ingress) { backend(i).Backend.Service.Name = "x" },
		"with a second rule":     func(i *networkingv1.Ingress) { i.Spec.Rules = append(i.Spec.Rules, ruleTo("x.example.com", "x", 1)) },
		"with a second path": func(i *networkingv1.Ingress) {
			i.Spec.Rules[0].HTTP.Paths = append(i.Spec.Rules[0].HTTP.Paths, ruleTo("", "x", 1).HTTP.Paths[0])
			i.Spec.Rules[0].HTTP.Paths[1].Path = "/x"
		},
		"with a rule without paths": func(i *networkingv1.Ingress) { i.Spec.Rules[0].HTTP = nil },
		"without rules":             func(i *networkingv1.Ingress) { i.Spec.Rules = nil },
		"with a backend that is no Service": func(i *networkingv1.Ingress) {
			backend(i).Backend = networkingv1.IngressBackend{Resource: &corev1.TypedLocalObjectReference{Kind: "Bucket", Name: "x"}}
		},
		"whose owner reference has another kind":       func(i *networkingv1.Ingress) { i.OwnerReferences[0].Kind = "Servant" },
		"whose owner reference has another apiVersion": func(i *networkingv1.Ingress) { i.OwnerReferences[0].APIVersion = "x.dev/v1" },
		"whose owner reference has another name":       func(i *networkingv1.Ingress) { i.OwnerReferences[0].Name = "x" },
	} {
		requireChange(s, service, edited(existing, edit), want, true, what, "this is a field that step 1 sets, and it differs")
	}
}

func judgeClass(s *check.S, service *corev1.Service, existing, want *networkingv1.Ingress) {
	classed := func(ingress *networkingv1.Ingress, class *string) *networkingv1.Ingress {
		return edited(ingress, func(i *networkingv1.Ingress) { i.Spec.IngressClassName = class })
	}
	want = classed(want, new("nginx"))
	for _, class := range []*string{nil, new("traefik")} {
		requireChange(s, service, classed(existing, class), want, true, fmt.Sprintf("with the class %q where nginx is wanted", deref(class)),
			"a class that is wanted counts, one that is not wanted does not")
	}
	requireChange(s, service, classed(existing, new("nginx")), want, false, "with the class nginx where nginx is wanted",
		"two pointers are two addresses: compare what they point to")
}

func judgeUnwanted(s *check.S, service *corev1.Service, existing, want *networkingv1.Ingress) {
	requireChange(s, service, existing, nil, true, "where none is wanted", "an Ingress of ours that nobody wants has to go")
	for _, want := range []*networkingv1.Ingress{nil, want} {
		gone := edited(existing, func(i *networkingv1.Ingress) {
			i.DeletionTimestamp = new(metav1.Now())
			i.Spec.Rules[0].Host = "x.example.com"
		})
		requireChange(s, service, gone, want, false, "of ours that is being deleted",
			"nothing that we write keeps it, and its end brings the key back")
	}
}

func judgeOwners(s *check.S, service *corev1.Service, existing, want *networkingv1.Ingress) {
	ours := existing.OwnerReferences[0]
	gate := ownerRef("example.com/v1", "Gate", "x", "another")
	ownerOnly, notController := ours, ours
	ownerOnly.Controller, notController.Controller = nil, new(false)
	for what, owners := range map[string][]metav1.OwnerReference{
		"without an owner": nil,
		"of an earlier Service of the same name (another UID)": {ownerRef("v1", "Service", service.Name, "another")},
		"of another controller":                                {gate},
		"that the Service owns, with controller: false":        {notController},
		"that the Service owns, but not as the controller":     {ownerOnly},
		"of another controller, owned by the Service as well":  {gate, ownerOnly},
	} {
		for _, want := range []*networkingv1.Ingress{nil, want} {
			foreign := edited(existing, func(i *networkingv1.Ingress) { i.OwnerReferences = owners })
			requireForeignError(s, service, foreign, want, what, "the name proves nothing; metav1.IsControlledBy compares the UID of the "+
				"controller reference")
			foreign.DeletionTimestamp, foreign.Finalizers = new(metav1.Now()), []string{"example.com/hold"}
			requireForeignError(s, service, foreign, want, what+" that is being deleted",
				"whose it is comes first: until it is gone it stands in the way, and people want to know of whom")
		}
	}
}

// requireForeignError wants a *ForeignError that says which Ingress it is and whose.
func requireForeignError(s *check.S, service *corev1.Service, existing, want *networkingv1.Ingress, what, cause string) {
	change, err := needsChange(s, service, existing, want)
	var foreign *ForeignError
	s.Requiref(!change && errors.As(err, &foreign), cause, "for an Ingress %s (an Ingress is wanted: %v): got change %v and %s, want false "+
		"and a *ForeignError", what, want != nil, change, check.ErrorText(err))
	name := cache.MetaObjectToName(existing)
	s.Requiref(foreign.Ingress == name, "the error ends up in an Event: say which Ingress it is", "the *ForeignError names the Ingress %q, "+
		"want %q", foreign.Ingress, name)
	controller := metav1.GetControllerOf(existing)
	s.Requiref(reflect.DeepEqual(foreign.Owner, controller), "the error ends up in an Event: say whose the Ingress is, its controller "+
		"(metav1.GetControllerOf), and nil where it has none", "for an Ingress %s, the *ForeignError has the Owner %v, want %v", what,
		foreign.Owner, controller)
}
