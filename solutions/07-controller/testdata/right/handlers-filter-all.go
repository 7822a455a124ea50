//workshop:accept handlers-filter-all
//workshop:why a filter that lets all through, and handlers with options
//workshop:step NewController

package main

import (
	"fmt"

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
		registration, err := add.informer.AddEventHandlerWithOptions(cache.FilteringResourceEventHandler{
			FilterFunc: func(any) bool { return true },
			Handler:    c.enqueue(add.keys),
		}, cache.HandlerOptions{})
		if err != nil {
			return nil, fmt.Errorf("add a handler for %s: %w", add.kind, err)
		}
		c.handlers = append(c.handlers, registration)
	}
	return c, nil
}
