//workshop:mutant handlers-ingress-deleted-only
//workshop:fault an Ingress that is edited by hand is not noticed
//workshop:step 3
//workshop:want for-early

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	networkinginformers "k8s.io/client-go/informers/networking/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
)

func NewController(client kubernetes.Interface, services coreinformers.ServiceInformer, ingresses networkinginformers.IngressInformer,
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName], recorder record.EventRecorder, policy Policy, options Options) (*Controller, error) {
	c := &Controller{
		client:    client,
		services:  services.Lister(),
		ingresses: ingresses.Lister(),
		queue:     queue,
		recorder:  recorder,
		options:   options,
		policy:    policy,
	}
	c.syncHandler, c.nextItem = c.syncService, c.processNextItem
	for _, add := range []struct {
		kind     string
		informer cache.SharedIndexInformer
		keys     func(obj any) ([]cache.ObjectName, error)
	}{
		{"services", services.Informer(), serviceKey},
		{"ingresses", ingresses.Informer(), policy.Keys},
	} {
		registration, err := add.informer.AddEventHandler(c.handler(add.keys))
		if err != nil {
			return nil, fmt.Errorf("add a handler for %s: %w", add.kind, err)
		}
		c.handlers = append(c.handlers, registration)
	}
	return c, nil
}

func (c *Controller) handler(keys func(obj any) ([]cache.ObjectName, error)) cache.ResourceEventHandler {
	all := c.enqueue(keys).(cache.ResourceEventHandlerFuncs)
	return cache.FilteringResourceEventHandler{FilterFunc: func(obj any) bool { _, ok := obj.(*corev1.Service); return ok },
		Handler: all}
}
