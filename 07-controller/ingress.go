package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// Options are the settings of a Controller.
type Options struct {
	// Domain is the end of the default host, NAME.NAMESPACE.DOMAIN.
	Domain string
	// IngressClass is the class of every Ingress. If it is empty, the cluster's default applies.
	IngressClass string
	// MaxRetry is how often a key that fails is requeued.
	MaxRetry int
}

// InvalidError says why a Service that asks for an Ingress cannot have one. A
// retry does not help; only a change of the Service does.
type InvalidError struct{ Problem string }

func (e *InvalidError) Error() string { return e.Problem }

// ForeignError says that an Ingress is not controlled by the Service of its name.
type ForeignError struct {
	// Ingress is the namespace and name of the Ingress.
	Ingress cache.ObjectName
	// Owner is the controller of the Ingress, nil for none.
	Owner *metav1.OwnerReference
}

func (e *ForeignError) Error() string {
	if e.Owner == nil {
		return fmt.Sprintf("ingress %s exists and has no controller: it is left alone", e.Ingress)
	}
	return fmt.Sprintf("ingress %s exists and belongs to %s %s (uid %s): it is left alone", e.Ingress, e.Owner.Kind, e.Owner.Name, e.Owner.UID)
}

// DesiredIngress returns the Ingress that a Service should have, nil for none.
//
// Step 1: compute the desired state.
//
// Return nil and no error if the value of the annotation ingress/http is not
// exactly "true". Look at nothing else in that case. Otherwise return an Ingress
// with these fields:
//
//   - metadata: the name and the namespace of the Service.
//   - ownerReferences: one, to the Service (v1, Service, its name and UID), with
//     controller true. An object from a client or a lister has no kind, so name
//     it yourself. Leave blockOwnerDeletion out: some clusters demand a further
//     permission for it.
//   - spec.ingressClassName: options.IngressClass. Leave it out if that is empty.
//   - spec.rules: one rule with one path, "/" of type Prefix. Its backend is the
//     Service.
//
// The host of the rule is the annotation ingress/host. If that is missing or
// empty, it is NAME.NAMESPACE.DOMAIN, with options.Domain.
//
// The port of the backend is the port that the annotation ingress/port names, by
// its name or by its number. If the annotation is missing or empty, it is the
// port with the name http. If there is none, it is the first port. You may write
// a port into the Ingress by name or by number. But an Ingress accepts fewer
// names than a Service: at most 15 characters, and not digits alone
// (IsValidPortName in k8s.io/apimachinery/pkg/util/validation).
//
// Return no Ingress and an *InvalidError in these cases. Its text must contain
// the wrong value, because users read it in an Event:
//
//   - The type of the Service is ExternalName, or it has no ports.
//   - The API server would reject the host. A host is a DNS name, or a DNS name
//     with a wildcard as its first part. It is not an IP address.
//   - ingress/port is neither the name nor the number of a port of the Service.
//
// This is a pure function: it sends no request and reads no clock. The Service
// comes from a cache, so do not modify it.
func DesiredIngress(service *corev1.Service, options Options) (*networkingv1.Ingress, error) {
	panic(todo.Step(1))
}

// NeedsChange reports whether existing has to be changed or deleted.
//
// Step 2: compare the actual state with the desired state.
//
// existing is the Ingress with the Service's name that the cluster has. desired
// is the Ingress that step 1 wants, nil for none.
//
// Return a *ForeignError if the controller reference of existing does not have
// the UID of the Service. Set both of its fields. The name proves nothing: an
// earlier Service of the same name had another UID. Check this first, also for
// an Ingress that is being deleted.
//
// For an Ingress of the Service, return
//
//   - false if it is being deleted: nothing can be done until it is gone;
//   - true if desired is nil;
//   - true if the rules differ;
//   - true if desired has a class, and the classes differ;
//   - true if apiVersion, kind or name in the reference to the Service differ;
//   - false otherwise.
//
// Compare no other field, and not blockOwnerDeletion in the reference either.
// The API server sets defaults, and other writers set their own fields. A
// controller that compares those finds a difference at every look, and writes
// without end. Modify neither object.
func NeedsChange(service *corev1.Service, existing, desired *networkingv1.Ingress) (bool, error) {
	panic(todo.Step(2))
}

// createIngress creates desired as it is.
func (c *Controller) createIngress(ctx context.Context, desired *networkingv1.Ingress) error {
	_, err := c.client.NetworkingV1().Ingresses(desired.Namespace).Create(ctx, desired, metav1.CreateOptions{FieldManager: fieldManager})
	if err != nil {
		return fmt.Errorf("create ingress %s: %w", cache.MetaObjectToName(desired), err)
	}
	return nil
}

// applyIngress applies the fields that this controller owns, and no others. The
// API server answers Conflict if it no longer has existing in that very version,
// also if the Ingress is gone.
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
	// Another manager may have set our fields: Force takes them back.
	options := metav1.ApplyOptions{FieldManager: fieldManager, Force: true}
	_, err := c.client.NetworkingV1().Ingresses(desired.Namespace).Apply(ctx, config, options)
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

// deleteIngress deletes existing. The API server answers Conflict if it no longer
// has existing in that very version.
func (c *Controller) deleteIngress(ctx context.Context, existing *networkingv1.Ingress) error {
	err := c.client.NetworkingV1().Ingresses(existing.Namespace).Delete(ctx, existing.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &existing.UID, ResourceVersion: &existing.ResourceVersion},
	})
	if err != nil {
		return fmt.Errorf("delete ingress %s: %w", cache.MetaObjectToName(existing), err)
	}
	return nil
}

// getIngress reads the Ingress from the API server, not from the cache. It
// returns nil and no error if there is none.
func (c *Controller) getIngress(ctx context.Context, key cache.ObjectName) (*networkingv1.Ingress, error) {
	ingress, err := c.client.NetworkingV1().Ingresses(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("get ingress %s: %w", key, err)
	}
	return ingress, nil
}
