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

func desired(s *check.S, service *corev1.Service, options Options) (*networkingv1.Ingress, error) {
	var got *networkingv1.Ingress
	before := service.DeepCopy()
	err := s.Call(func(context.Context) (err error) {
		got, err = DesiredIngress(service, options)
		return err
	})
	s.Require(reflect.DeepEqual(service, before), fmt.Sprintf("DesiredIngress changed the Service: got %+v, it was %+v", service, before),
		"the Service comes from a cache that others read: it must stay as it is")
	return got, err
}

func TestStep1_DesiredIngress(t *testing.T) {
	check.Step(t, 1, "DesiredIngress", func(s *check.S) {
		ns := s.Namespace()
		judgeWanted(s, ns)
		judgeBody(s, ns)
		judgePorts(s, ns)
		judgeHosts(s, ns)
		judgeInvalid(s, ns)
		judgePortNames(s, ns)
	})
}

func judgeWanted(s *check.S, ns string) {
	bare := newService(ns, "web", nil)
	bare.Annotations = nil
	none := []*corev1.Service{bare}
	for _, value := range []string{"false", "", "True", "1", "yes", "true "} {
		none = append(none, newService(ns, "web", map[string]string{askFor: value}))
	}
	noPorts := newService(ns, "web", map[string]string{askFor: "false", askHost: "a_b", askPort: "none"})
	noPorts.Spec.Ports = nil
	external := newService(ns, "web", map[string]string{askFor: "false"})
	external.Spec.Type, external.Spec.ExternalName = corev1.ServiceTypeExternalName, "example.net"
	for _, service := range append(none, noPorts, external) {
		got, err := desired(s, service, Options{Domain: "example.com"})
		s.Require(got == nil && err == nil, fmt.Sprintf("for a Service with the annotations %v, want no Ingress and no error, got %s and %s", service.Annotations, describeIngress(got), check.ErrorText(err)),
			"only the value \"true\" asks for an Ingress: look at the value, not whether the key is there, and before anything else of the Service")
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
	s.Require(err == nil && got != nil, fmt.Sprintf("for a Service with the annotations %v and the ports %v, want an Ingress, got %s and %s",
		service.Annotations, portsOf(service), describeIngress(got), check.ErrorText(err)), "nothing is wrong with this Service; see the task for what is")
	judgeOwner(s, service, got)
	_, err = s.Clientset().NetworkingV1().Ingresses(service.Namespace).Create(s.Context(), got, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	s.Require(err == nil, "the API server does not take the Ingress: "+check.ErrorText(err),
		"networking.k8s.io/v1 wants a pathType and an absolute path, a backend.service with either a port's name or its number, complete owner references, and a class that is left out rather than empty")
	return got
}

// judgeOwner looks at whose the Ingress is, before the server does.
func judgeOwner(s *check.S, service *corev1.Service, got *networkingv1.Ingress) {
	s.Require(got.Name == service.Name && got.Namespace == service.Namespace, fmt.Sprintf("the Ingress is %s/%s, want %s/%s", got.Namespace, got.Name, service.Namespace, service.Name),
		"it has the Service's name and namespace; an owner in another namespace does not count, and the garbage collector would delete the Ingress")

	s.Require(len(got.OwnerReferences) == 1, fmt.Sprintf("the Ingress has %d owner references, want 1", len(got.OwnerReferences)),
		"without an owner reference the Ingress stays when the Service is deleted; metav1.NewControllerRef makes one")
	owner := got.OwnerReferences[0]
	s.Require(owner.APIVersion == "v1" && owner.Kind == "Service", fmt.Sprintf("the owner is apiVersion %q, kind %q; want v1, Service", owner.APIVersion, owner.Kind),
		"an object from a client or a cache has an empty TypeMeta: name the kind yourself, corev1.SchemeGroupVersion.WithKind(\"Service\")")
	s.Require(owner.Name == service.Name && owner.UID == service.UID, fmt.Sprintf("the owner is %q with uid %q, want %q with %q", owner.Name, owner.UID, service.Name, service.UID), "the owner is the Service itself, with its UID")
	s.Require(owner.Controller != nil && *owner.Controller, "the owner reference does not say controller: true",
		"of several owners one is the controller, and step 2 looks for that one")
	s.Require(owner.BlockOwnerDeletion == nil || !*owner.BlockOwnerDeletion, "the owner reference says blockOwnerDeletion: true",
		"metav1.NewControllerRef sets it. Where the admission plugin OwnerReferencesPermissionEnforcement is on, that needs the permission to update services/finalizers: set it to nil")
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
	s.Require(got.Spec.IngressClassName == nil, fmt.Sprintf("without --ingress-class the Ingress has the class %q, want none", deref(got.Spec.IngressClassName)), "only a class that is left out leaves the choice to the cluster's default")
	for what, edit := range map[string]func(*corev1.Service){
		"headless":     func(service *corev1.Service) { service.Spec.ClusterIP = corev1.ClusterIPNone },
		"NodePort":     func(service *corev1.Service) { service.Spec.Type = corev1.ServiceTypeNodePort },
		"LoadBalancer": func(service *corev1.Service) { service.Spec.Type = corev1.ServiceTypeLoadBalancer },
	} {
		service := newService(ns, "web", nil)
		edit(service)
		got, err := desired(s, service, Options{Domain: "example.com"})
		s.Require(got != nil && err == nil, fmt.Sprintf("for a Service that is %s, want an Ingress, got none and %s", what, check.ErrorText(err)), "of the types of Services, only ExternalName has no endpoints that an Ingress could lead to")
	}
	classed := must(s, newService(ns, "web", nil), Options{Domain: "example.com", IngressClass: "nginx"})
	s.Require(deref(classed.Spec.IngressClassName) == "nginx", fmt.Sprintf("with the class nginx in the options, the Ingress has %q", deref(classed.Spec.IngressClassName)), "spec.ingressClassName is the options' IngressClass")

	s.Require(len(got.Spec.Rules) == 1 && got.Spec.Rules[0].HTTP != nil && len(got.Spec.Rules[0].HTTP.Paths) == 1, "want one rule with one path, got "+describeRules(got.Spec.Rules), "one Service, one host, one path")
	s.Require(got.Spec.DefaultBackend == nil, "the Ingress has a default backend", "it would take the requests for every other host as well: one rule is all that the Service asks for")
	path := got.Spec.Rules[0].HTTP.Paths[0]
	s.Require(path.Path == "/" && path.PathType != nil && *path.PathType == networkingv1.PathTypePrefix, "want the path / of the type Prefix, got "+describeRules(got.Spec.Rules), "Prefix with / takes everything; Exact takes the first page only")
	s.Require(path.Backend.Service != nil && path.Backend.Service.Name == "web", "want the Service web as the backend, got "+describeRules(got.Spec.Rules), "the backend is the Service itself")
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
		annotations := map[string]string{}
		if c.wanted != "" {
			annotations[askPort] = c.wanted
		}
		got := must(s, newService(ns, "web", annotations, c.ports...), Options{Domain: "example.com"})
		port := got.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port
		right := port.Number == c.want.Port && port.Name == "" || c.want.Name != "" && port.Name == c.want.Name && port.Number == 0
		s.Require(right, fmt.Sprintf("with the ports %s and %s %q, want the port %s:%d, got %s:%d", portsOf(newService(ns, "web", nil, c.ports...)), askPort, c.wanted, c.want.Name, c.want.Port, port.Name, port.Number), c.why)
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
		annotations := map[string]string{}
		if c.host != "" {
			annotations[askHost] = c.host
		}
		got := must(s, newService(ns, c.name, annotations), Options{Domain: c.domain})
		s.Require(hostOfIngress(got) == c.want, fmt.Sprintf("for Service %s with the domain %s and %s %q, the host is %q, want %q", c.name, c.domain, askHost, c.host, hostOfIngress(got), c.want),
			"the host is the annotation, or else NAME.NAMESPACE.DOMAIN; one host for all Services would have them fight")
	}
}

func judgeInvalid(s *check.S, ns string) {
	external := newService(ns, "web", nil)
	external.Spec.Type, external.Spec.ExternalName = corev1.ServiceTypeExternalName, "example.net"
	noPorts := newService(ns, "web", nil)
	noPorts.Spec.Ports = nil
	cases := []struct {
		service *corev1.Service
		what    string
		mention string
	}{
		{external, "a Service of the type ExternalName", ""},
		{noPorts, "a Service without ports", ""},
	}
	for _, host := range []string{"a_b.example.com", "Shop.example.com", "http://example.com", "example.com/x", "example..com", "10.0.0.1", "*", "www.*.example.com", "*.*.example.com", "-a.example.com", "www.example.com.", "www.example.com,www.example.net", strings.Repeat("a", 254)} {
		cases = append(cases, struct {
			service *corev1.Service
			what    string
			mention string
		}{newService(ns, "web", map[string]string{askHost: host}), fmt.Sprintf("the host %q", host), host})
	}
	for _, port := range []string{"0", "81", "-8080", "web", "8080.0", "8080/TCP", "4294975376", "99999999999999999999"} {
		cases = append(cases, struct {
			service *corev1.Service
			what    string
			mention string
		}{newService(ns, "web", map[string]string{askPort: port}, corev1.ServicePort{Name: "http", Port: 8080}), fmt.Sprintf("the port %q of a Service with http:8080", port), port})
	}
	for _, c := range cases {
		got, err := desired(s, c.service, Options{Domain: "example.com"})
		var invalid *InvalidError
		s.Require(got == nil, fmt.Sprintf("for %s, want no Ingress, got %s", c.what, describeIngress(got)),
			"take a value as it is: the API server refuses such an Ingress, or it leads nowhere. validation.IsDNS1123Subdomain and IsWildcardDNS1123Subdomain know the rules of names; a port must be one of the Service's")
		s.Require(errors.As(err, &invalid), fmt.Sprintf("for %s, want an *InvalidError, got %s", c.what, check.ErrorText(err)),
			"the caller tells this from a failure by the type: no retry mends it")
		s.Require(strings.Contains(err.Error(), c.mention), fmt.Sprintf("for %s, the error says %q and does not name the value", c.what, err), "people read it in an Event, and want to know which value is wrong")
	}
	for _, domain := range []string{"apps_example.org", strings.Repeat("a.", 124) + "org"} {
		got, err := desired(s, newService(ns, "web", nil), Options{Domain: domain})
		var invalid *InvalidError
		s.Require(got == nil && errors.As(err, &invalid), fmt.Sprintf("for a Service without %s and the domain %q, want an *InvalidError, got %s and %s", askHost, domain, describeIngress(got), check.ErrorText(err)),
			"the host that is put together of name, namespace and domain has to be one that the API server takes, as well as the one of the annotation")
	}
}

// judgePortNames: a Service takes names of ports that an Ingress refuses.
func judgePortNames(s *check.S, ns string) {
	for _, name := range []string{"a-name-that-is-longer-than-15", "8080", "web--admin"} {
		for _, wanted := range []string{"", name, "80"} {
			annotations := map[string]string{}
			if wanted != "" {
				annotations[askPort] = wanted
			}
			service := newService(ns, "web", annotations, corev1.ServicePort{Name: name, Port: 80})
			got, err := desired(s, service, Options{Domain: "example.com"})
			s.Require(err == nil && got != nil, fmt.Sprintf("for a Service with the ports %s and %s %q, want an Ingress, got %s and %s", portsOf(service), askPort, wanted, describeIngress(got), check.ErrorText(err)), "nothing is wrong with this Service: its ports have names that the API server takes")
			port := got.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port
			_, err = s.Clientset().NetworkingV1().Ingresses(ns).Create(s.Context(), got, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			s.Require(err == nil, fmt.Sprintf("for a Service with the ports %s, the API server does not take an Ingress that leads to the port %q %d: %s", portsOf(service), port.Name, port.Number, check.ErrorText(err)),
				"a Service takes longer names of ports than an Ingress, and digits alone: name such a port by its number (validation.IsValidPortName)")
			s.Require(port.Number == 80, fmt.Sprintf("for a Service with the ports %s and %s %q, the Ingress leads to the port %q %d, want 80", portsOf(service), askPort, wanted, port.Name, port.Number), "this name is none that an Ingress takes: the number is left")
		}
	}
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
		judgeForeign(s, service, existing, want)
		judgeDifferent(s, service, existing, want)
	})
}

// needsChange calls the step with copies of its own.
func needsChange(s *check.S, service *corev1.Service, existing, want *networkingv1.Ingress) (bool, error) {
	existing, want, kept, wanted := existing.DeepCopy(), want.DeepCopy(), existing.DeepCopy(), want.DeepCopy()
	var change bool
	err := s.Call(func(context.Context) (err error) {
		change, err = NeedsChange(service, existing, want)
		return err
	})
	s.Require(reflect.DeepEqual(existing, kept) && reflect.DeepEqual(want, wanted), "NeedsChange changed one of the two Ingresses", "existing comes from a cache that others read: it must stay as it is")
	return change, err
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
		change, err := needsChange(s, service, edited(existing, edit), want)
		s.Require(err == nil && !change, fmt.Sprintf("for an Ingress as desired, %s: got change %v and %s, want false and no error", what, change, check.ErrorText(err)),
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
		"whose owner reference has another apiVersion": func(i *networkingv1.Ingress) { i.OwnerReferences[0].APIVersion = "serving.knative.dev/v1" },
		"whose owner reference has another name":       func(i *networkingv1.Ingress) { i.OwnerReferences[0].Name = "x" },
	} {
		change, err := needsChange(s, service, edited(existing, edit), want)
		s.Require(err == nil && change, fmt.Sprintf("for an Ingress %s: got change %v and %s, want true and no error", what, change, check.ErrorText(err)), "this is a field that step 1 sets, and it differs")
	}
	classed := edited(want, func(i *networkingv1.Ingress) { i.Spec.IngressClassName = new("nginx") })
	for _, class := range []*string{nil, new("traefik")} {
		change, err := needsChange(s, service, edited(existing, func(i *networkingv1.Ingress) { i.Spec.IngressClassName = class }), classed)
		s.Require(err == nil && change, fmt.Sprintf("for an Ingress with the class %q where nginx is wanted: got change %v and %s, want true", deref(class), change, check.ErrorText(err)), "a class that is wanted counts, one that is not wanted does not")
	}
	change, err := needsChange(s, service, edited(existing, func(i *networkingv1.Ingress) { i.Spec.IngressClassName = new("nginx") }), classed)
	s.Require(err == nil && !change, fmt.Sprintf("for an Ingress with the class nginx where nginx is wanted: got change %v and %s, want false", change, check.ErrorText(err)), "two pointers are two addresses: compare what they point to")
	change, err = needsChange(s, service, existing, nil)
	s.Require(err == nil && change, fmt.Sprintf("where no Ingress is wanted: got change %v and %s, want true", change, check.ErrorText(err)), "an Ingress of ours that nobody wants has to go")
	for _, want := range []*networkingv1.Ingress{nil, want} {
		gone := edited(existing, func(i *networkingv1.Ingress) {
			i.DeletionTimestamp = new(metav1.Now())
			i.Spec.Rules[0].Host = "x.example.com"
		})
		change, err := needsChange(s, service, gone, want)
		s.Require(err == nil && !change, fmt.Sprintf("for an Ingress of ours that is being deleted: got change %v and %s, want false and no error", change, check.ErrorText(err)),
			"nothing that we write keeps it, and its end brings the key back")
	}
}

func judgeForeign(s *check.S, service *corev1.Service, existing, want *networkingv1.Ingress) {
	ours := existing.OwnerReferences[0]
	for what, owners := range map[string][]metav1.OwnerReference{
		"without an owner": nil,
		"of an earlier Service of the same name (another UID)": {{APIVersion: "v1", Kind: "Service", Name: service.Name, UID: "another", Controller: new(true)}},
		"of another controller":                                {{APIVersion: "example.com/v1", Kind: "Gate", Name: "x", UID: "another", Controller: new(true)}},
		"that the Service owns, with controller: false":        {{APIVersion: ours.APIVersion, Kind: ours.Kind, Name: ours.Name, UID: ours.UID, Controller: new(false)}},
		"that the Service owns, but not as the controller":     {{APIVersion: ours.APIVersion, Kind: ours.Kind, Name: ours.Name, UID: ours.UID}},
		"of another controller, owned by the Service as well": {
			{APIVersion: "example.com/v1", Kind: "Gate", Name: "x", UID: "another", Controller: new(true)},
			{APIVersion: ours.APIVersion, Kind: ours.Kind, Name: ours.Name, UID: ours.UID}},
	} {
		for _, want := range []*networkingv1.Ingress{nil, want} {
			change, err := needsChange(s, service, edited(existing, func(i *networkingv1.Ingress) { i.OwnerReferences = owners }), want)
			var foreign *ForeignError
			s.Require(!change && errors.As(err, &foreign), fmt.Sprintf("for an Ingress %s (an Ingress is wanted: %v): got change %v and %s, want false and a *ForeignError", what, want != nil, change, check.ErrorText(err)),
				"the name proves nothing; metav1.IsControlledBy compares the UID of the controller reference")
			s.Require(foreign.Ingress == cache.MetaObjectToName(existing), fmt.Sprintf("the *ForeignError names the Ingress %q, want %q", foreign.Ingress, cache.MetaObjectToName(existing)), "the error ends up in an Event: say which Ingress it is")
			controller := metav1.GetControllerOf(&networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{OwnerReferences: owners}})
			s.Require(reflect.DeepEqual(foreign.Owner, controller), fmt.Sprintf("for an Ingress %s, the *ForeignError has the Owner %v, want %v", what, foreign.Owner, controller), "the error ends up in an Event: say whose the Ingress is, its controller (metav1.GetControllerOf), and nil where it has none")

			change, err = needsChange(s, service, edited(existing, func(i *networkingv1.Ingress) {
				i.OwnerReferences, i.DeletionTimestamp, i.Finalizers = owners, new(metav1.Now()), []string{"example.com/hold"}
			}), want)
			s.Require(!change && errors.As(err, &foreign), fmt.Sprintf("for an Ingress %s that is being deleted (an Ingress is wanted: %v): got change %v and %s, want false and a *ForeignError", what, want != nil, change, check.ErrorText(err)),
				"whose it is comes first: until it is gone it stands in the way, and people want to know of whom")
		}
	}
}

func TestStep5_syncService(t *testing.T) {
	check.Step(t, 5, "syncService", func(s *check.S) {
		ns := s.Namespace()
		for _, judge := range []func(*world){judgeCreate, judgeRepair, judgeRemove, judgeInvalidSync, judgeStale, judgeForeignSync, judgeGone, judgeRaces, judgeErrors, judgeListers} {
			judge(newWorld(s, ns))
		}
		judgeTerminating(s)
		for _, judge := range []func(*world){judgeRefusals, judgeUndecided, judgeStops, judgeLookAgain} {
			judge(newWorld(s, ns))
		}
	})
}

func TestStep3_NewController(t *testing.T) { check.Step(t, 3, "NewController", judgeHandlers) }

func TestStep4_ServiceKeys(t *testing.T) { check.Step(t, 4, "ServiceKeys", judgeKeys) }

func TestStep6_processNextItem(t *testing.T) { check.Step(t, 6, "processNextItem", judgeItem) }

func TestStep7_Run(t *testing.T) { check.Step(t, 7, "Run", judgeRun) }

func TestStep8_Lead(t *testing.T) { check.Step(t, 8, "Lead", judgeLead) }

func TestStep9_Rules(t *testing.T) { check.Step(t, 9, "Rules", judgeRules) }
