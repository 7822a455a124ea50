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
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName], recorder record.EventRecorder, options Options) (*Controller, error) {
	c := &Controller{client: client, serviceLister: services.Lister(), ingressLister: ingresses.Lister(), queue: queue, recorder: recorder, options: options}
	c.syncHandler = c.syncService
	for kind, add := range map[string]struct {
		informer cache.SharedIndexInformer
		enqueue  func(obj any)
	}{"services": {services.Informer(), c.enqueueService}, "ingresses": {ingresses.Informer(), c.enqueueIngress}} {
		registration, err := add.informer.AddEventHandlerWithOptions(cache.FilteringResourceEventHandler{
			FilterFunc: func(any) bool { return true },
			Handler: cache.ResourceEventHandlerFuncs{
				AddFunc:    add.enqueue,
				UpdateFunc: func(before, after any) { add.enqueue(before); add.enqueue(after) },
				DeleteFunc: add.enqueue,
			},
		}, cache.HandlerOptions{})
		if err != nil {
			return nil, fmt.Errorf("add an event handler for %s: %w", kind, err)
		}
		c.handlers = append(c.handlers, registration)
	}
	return c, nil
}
