package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingapply "k8s.io/client-go/applyconfigurations/networking/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	// httpAnnotation asks for an Ingress when its value is "true".
	httpAnnotation = "ingress/http"
	// hostAnnotation is the Ingress's host.
	hostAnnotation = "ingress/host"
	// portAnnotation is the number or the name of one of the Service's ports.
	portAnnotation = "ingress/port"

	// fieldManager is the name under which the API server keeps our fields.
	fieldManager = "service-ingress-controller"
)

// Options are what an Ingress depends on beside its Service, and how the
// controller works.
type Options struct {
	// Domain is what the default host ends in.
	Domain string
	// IngressClass is the class of every Ingress; empty leaves it to the cluster.
	IngressClass string
	// Workers is how many keys are worked on side by side.
	Workers int
	// MaxRetry is how often a key that fails is tried again.
	MaxRetry int
}

// InvalidError says why a Service that asks for an Ingress cannot have one. No
// retry mends it, only a change of the Service.
type InvalidError struct{ Problem string }

func (e *InvalidError) Error() string { return e.Problem }

// ForeignError says that an Ingress does not belong to the Service of its name.
type ForeignError struct {
	// Ingress is its namespace and name.
	Ingress cache.ObjectName
	// Owner is the controller that it belongs to, nil for none.
	Owner *metav1.OwnerReference
}

func (e *ForeignError) Error() string {
	if e.Owner == nil {
		return fmt.Sprintf("ingress %s exists and has no controller: it is left alone", e.Ingress)
	}
	return fmt.Sprintf("ingress %s exists and belongs to %s %s (uid %s): it is left alone", e.Ingress, e.Owner.Kind, e.Owner.Name, e.Owner.UID)
}

// Step 1: say which Ingress a Service should have.
//
// Return nil and no error when there should be none: the annotation
// ingress/http is not exactly "true". Else the Ingress has
//
//   - the Service's name and namespace;
//   - one owner reference: the Service, with its UID, as the controller. An
//     object from a client or a cache does not know its own kind, so name it:
//     v1, Service. Leave blockOwnerDeletion out: on clusters that guard it, one
//     needs a further permission to set it;
//   - the class options.IngressClass, and none when that is empty;
//   - one rule with one path, "/" of the type Prefix, that leads to the Service.
//
// The rule's host is the annotation ingress/host, or NAME.NAMESPACE.DOMAIN
// where the annotation is missing or empty. The port is the one of the
// Service's ports that the annotation ingress/port names, by its name or its
// number; without the annotation, or where it is empty, the port called http;
// without such a port, the first. The Ingress may name a port either way, but an
// Ingress takes fewer names than a Service: at most 15 characters, and not digits
// alone (validation.IsValidPortName).
//
// Return an *InvalidError, which ends up in an Event for people to read, and no
// Ingress when
//
//   - the Service is an ExternalName, or has no ports;
//   - the host is none that the API server takes: it must be a DNS name, or one
//     with a wildcard as its first part, and no IP address;
//   - ingress/port is neither name nor number of one of the Service's ports.
//
// This is a pure function: no request, no clock, and the Service, which comes
// from a cache, stays as it is.
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
	if options.IngressClass != "" {
		ingress.Spec.IngressClassName = new(options.IngressClass)
	}
	return ingress, nil
}

// backendPort is the port that the Ingress leads to.
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
			// By its number: an Ingress does not take each name that a Service takes.
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

// hostOf is the host that the Ingress is for, by the API server's own rules.
func hostOf(service *corev1.Service, domain string) (string, error) {
	host, source := service.Annotations[hostAnnotation], "annotation "+hostAnnotation
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

// Step 2: is it ours, and does it differ?
//
// existing is the Ingress of the Service's name that the cluster has, desired
// what step 1 wants, nil for none.
//
// Return a *ForeignError when existing does not belong to the Service, that is
// when its controller reference does not carry the Service's UID: the name
// alone proves nothing, and an earlier Service of this name had another UID.
//
// Else return whether existing has to be changed, or to go:
//
//   - false when it is being deleted already: nothing can be done until it is gone;
//   - true when desired is nil;
//   - true when the rules, the class (where desired has one) or the apiVersion,
//     kind or name in the owner reference to this Service differ.
//
// Look at no other field, also not at the reference's blockOwnerDeletion, which
// somebody else may have set. The API server fills in some, other writers have
// theirs, and who compares them finds a difference for ever. Neither object is
// changed.
func NeedsChange(service *corev1.Service, existing, desired *networkingv1.Ingress) (bool, error) {
	if !metav1.IsControlledBy(existing, service) {
		return false, &ForeignError{Ingress: cache.MetaObjectToName(existing), Owner: metav1.GetControllerOf(existing)}
	}
	switch {
	case existing.DeletionTimestamp != nil:
		return false, nil
	case desired == nil:
		return true, nil
	case desired.Spec.IngressClassName != nil && !equality.Semantic.DeepEqual(existing.Spec.IngressClassName, desired.Spec.IngressClassName):
		return true, nil
	}
	got, want := metav1.GetControllerOf(existing), metav1.GetControllerOf(desired)
	return got.APIVersion != want.APIVersion || got.Kind != want.Kind || got.Name != want.Name ||
		!equality.Semantic.DeepEqual(existing.Spec.Rules, desired.Spec.Rules), nil
}

// createIngress sends desired as it is.
func (c *Controller) createIngress(ctx context.Context, desired *networkingv1.Ingress) error {
	_, err := c.client.NetworkingV1().Ingresses(desired.Namespace).Create(ctx, desired, metav1.CreateOptions{FieldManager: fieldManager})
	if err != nil {
		return fmt.Errorf("create ingress %s: %w", cache.MetaObjectToName(desired), err)
	}
	return nil
}

// applyIngress sends the fields that we own, and no others, on the condition
// that existing is still what the server has. The answer is a conflict when it
// is not, also when the Ingress is gone.
func (c *Controller) applyIngress(ctx context.Context, existing, desired *networkingv1.Ingress) error {
	config := networkingapply.Ingress(desired.Name, desired.Namespace).
		WithUID(existing.UID).
		WithResourceVersion(existing.ResourceVersion).
		WithSpec(networkingapply.IngressSpec())
	config.Spec.IngressClassName = desired.Spec.IngressClassName
	for _, owner := range desired.OwnerReferences {
		config.WithOwnerReferences(metaapply.OwnerReference().
			WithAPIVersion(owner.APIVersion).WithKind(owner.Kind).WithName(owner.Name).WithUID(owner.UID).WithController(true))
	}
	for _, rule := range desired.Spec.Rules {
		config.Spec.WithRules(ruleConfig(rule))
	}
	// What another manager has set in our fields is what we are here to put right.
	_, err := c.client.NetworkingV1().Ingresses(desired.Namespace).Apply(ctx, config, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
	if err != nil {
		return fmt.Errorf("apply ingress %s: %w", cache.MetaObjectToName(desired), err)
	}
	return nil
}

func ruleConfig(rule networkingv1.IngressRule) *networkingapply.IngressRuleApplyConfiguration {
	http := networkingapply.HTTPIngressRuleValue()
	for _, path := range rule.HTTP.Paths {
		port := networkingapply.ServiceBackendPort()
		if path.Backend.Service.Port.Name != "" {
			port.WithName(path.Backend.Service.Port.Name)
		} else {
			port.WithNumber(path.Backend.Service.Port.Number)
		}
		http.WithPaths(networkingapply.HTTPIngressPath().WithPath(path.Path).WithPathType(*path.PathType).
			WithBackend(networkingapply.IngressBackend().
				WithService(networkingapply.IngressServiceBackend().WithName(path.Backend.Service.Name).WithPort(port))))
	}
	return networkingapply.IngressRule().WithHost(rule.Host).WithHTTP(http)
}

// deleteIngress deletes existing if the server still has it in that very state.
func (c *Controller) deleteIngress(ctx context.Context, existing *networkingv1.Ingress) error {
	err := c.client.NetworkingV1().Ingresses(existing.Namespace).Delete(ctx, existing.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &existing.UID, ResourceVersion: &existing.ResourceVersion},
	})
	if err != nil {
		return fmt.Errorf("delete ingress %s: %w", cache.MetaObjectToName(existing), err)
	}
	return nil
}

// getIngress reads from the server, which the caches may be behind. It returns
// nil when there is none.
func (c *Controller) getIngress(ctx context.Context, key cache.ObjectName) (*networkingv1.Ingress, error) {
	ingress, err := c.client.NetworkingV1().Ingresses(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	return found(ingress, err, "get ingress "+key.String())
}
