package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingapply "k8s.io/client-go/applyconfigurations/networking/v1"
	"k8s.io/client-go/tools/cache"

	"example.com/client-go-workshop/internal/todo"
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
	panic(todo.Step(1))
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
	panic(todo.Step(2))
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
