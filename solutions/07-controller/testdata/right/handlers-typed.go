//workshop:accept handlers-typed
//workshop:why a handler may be typed, where the factory has typed informers
//workshop:step NewController

package main

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	networkinginformers "k8s.io/client-go/informers/networking/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

func NewController(client kubernetes.Interface, services coreinformers.ServiceInformer, ingresses networkinginformers.IngressInformer,
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName], recorder record.EventRecorder, options Options) (*Controller, error) {
	c := &Controller{
		client:        client,
		serviceLister: services.Lister(),
		ingressLister: ingresses.Lister(),
		queue:         queue,
		recorder:      recorder,
		options:       options,
	}
	c.syncHandler = c.syncService
	ofService := func(service *corev1.Service) { queue.Add(cache.MetaObjectToName(service)) }
	registration, err := services.(coreinformers.TypedServiceInformer).TypedInformer().AddTypedEventHandler(coreinformers.ServiceHandlerFuncs{
		AddFunc:    ofService,
		UpdateFunc: func(_, service *corev1.Service) { ofService(service) },
		DeleteFunc: func(gone coreinformers.DeletedService) { queue.Add(gone.GetObjectName()) },
	})
	if err != nil {
		return nil, fmt.Errorf("add a handler for services: %w", err)
	}
	c.handlers = append(c.handlers, registration)
	ofObject := func(obj any) {
		keys, err := ServiceKeys(obj)
		if err != nil {
			klog.Background().Error(err, "Could not find the keys of an Ingress")
		}
		for _, key := range keys {
			queue.AddAfter(key, 50*time.Millisecond)
		}
	}
	registration, err = cache.NewTypedSharedIndexInformer[*networkingv1.Ingress](ingresses.Informer()).AddTypedEventHandler(networkinginformers.IngressHandlerFuncs{
		AddFunc:    func(ingress *networkingv1.Ingress) { ofObject(ingress) },
		UpdateFunc: func(before, after *networkingv1.Ingress) { ofObject(before); ofObject(after) },
		DeleteFunc: func(gone networkinginformers.DeletedIngress) {
			if gone.FinalStateUnknown != nil {
				ofObject(*gone.FinalStateUnknown)
				return
			}
			ofObject(gone.OptionalObj)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("add a handler for ingresses: %w", err)
	}
	c.handlers = append(c.handlers, registration)
	return c, nil
}
