//workshop:mutant handlers-error-dropped
//workshop:fault an informer that takes no handler is passed over
//workshop:step 3
//workshop:want took no handler

package main

import (
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
			continue
		}
		c.handlers = append(c.handlers, registration)
	}
	return c, nil
}
