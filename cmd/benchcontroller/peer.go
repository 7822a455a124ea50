package main

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// peer is the same job as chapter 07's, written the way that the books of
// controller-runtime teach, with that library's defaults.
type peer struct {
	client.Client
	domain string
}

// runPeer works in one namespace until ctx ends.
func runPeer(ctx context.Context, cfg *rest.Config, namespace, domain string) error {
	log.SetLogger(zap.New())
	manager, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:  scheme.Scheme,
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics: server.Options{BindAddress: "127.0.0.1:0"},
	})
	if err != nil {
		return fmt.Errorf("make a manager: %w", err)
	}
	p := &peer{Client: manager.GetClient(), domain: domain}
	if err := ctrl.NewControllerManagedBy(manager).For(&corev1.Service{}).Owns(&networkingv1.Ingress{}).Complete(p); err != nil {
		return fmt.Errorf("make a controller: %w", err)
	}
	return manager.Start(ctx)
}

// Reconcile gives one Service its Ingress, or takes it away.
func (p *peer) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var service corev1.Service
	if err := p.Get(ctx, req.NamespacedName, &service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	ingress := &networkingv1.Ingress{ObjectMeta: metav1.ObjectMeta{Namespace: service.Namespace, Name: service.Name}}
	if service.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	if service.Annotations["ingress/http"] != "true" {
		if err := p.Get(ctx, req.NamespacedName, ingress); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		if !metav1.IsControlledBy(ingress, &service) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, client.IgnoreNotFound(p.Delete(ctx, ingress, client.Preconditions{UID: &ingress.UID}))
	}
	_, err := controllerutil.CreateOrUpdate(ctx, p.Client, ingress, func() error {
		ingress.Spec.Rules = rules(&service, p.domain)
		return controllerutil.SetControllerReference(&service, ingress, p.Scheme())
	})
	return ctrl.Result{}, err
}

// rules is one rule that leads to the Service.
func rules(service *corev1.Service, domain string) []networkingv1.IngressRule {
	host := service.Annotations["ingress/host"]
	if host == "" {
		host = service.Name + "." + service.Namespace + "." + domain
	}
	port := networkingv1.ServiceBackendPort{Number: service.Spec.Ports[0].Port}
	if wanted := service.Annotations["ingress/port"]; wanted != "" {
		port = networkingv1.ServiceBackendPort{Name: wanted}
		if number, err := strconv.ParseInt(wanted, 10, 32); err == nil {
			port = networkingv1.ServiceBackendPort{Number: int32(number)}
		}
	}
	return []networkingv1.IngressRule{{
		Host: host,
		IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
			Paths: []networkingv1.HTTPIngressPath{{
				Path:     "/",
				PathType: new(networkingv1.PathTypePrefix),
				Backend:  networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: service.Name, Port: port}},
			}},
		}},
	}}
}
