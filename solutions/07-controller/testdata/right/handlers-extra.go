//workshop:accept handlers-extra
//workshop:why a handler more that only counts may be there, and has a registration that nobody keeps
//workshop:step NewController

package main

import (
	"fmt"
	"sync/atomic"

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
		registration, err := add.informer.AddEventHandler(c.enqueue(add.keys))
		if err != nil {
			return nil, fmt.Errorf("add a handler for %s: %w", add.kind, err)
		}
		c.handlers = append(c.handlers, registration)
	}
	var seen atomic.Int64
	if _, err := services.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { seen.Add(1) }}); err != nil {
		return nil, err
	}
	return c, nil
}
