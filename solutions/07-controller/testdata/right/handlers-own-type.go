//workshop:accept handlers-own-type
//workshop:why a handler may be a type of its own, and use the older key functions
//workshop:step NewController

package main

import (
	"fmt"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
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
		registration, err := add.informer.AddEventHandler(handler{c.queue, add.keys})
		if err != nil {
			return nil, fmt.Errorf("add a handler for %s: %w", add.kind, err)
		}
		c.handlers = append(c.handlers, registration)
	}
	return c, nil
}

type handler struct {
	queue workqueue.TypedRateLimitingInterface[cache.ObjectName]
	keys  func(obj any) ([]cache.ObjectName, error)
}

func (h handler) OnAdd(obj any, _ bool) { h.add(obj) }

func (h handler) OnUpdate(before, after any) {
	if before != after {
		h.add(before)
	}
	h.add(after)
}

func (h handler) OnDelete(obj any) { h.add(obj) }

func (h handler) add(obj any) {
	keys, err := h.keys(obj)
	if err != nil {
		utilruntime.HandleError(err)
		return
	}
	for _, key := range keys {
		h.queue.Add(key)
	}
}
