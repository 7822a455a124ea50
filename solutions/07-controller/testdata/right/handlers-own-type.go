//workshop:accept handlers-own-type
//workshop:why a handler may be a type of its own, and use the older key functions
//workshop:step NewController

package main

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
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
	serviceKey := func(obj any) ([]cache.ObjectName, error) {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
		if err != nil {
			return nil, err
		}
		name, err := cache.ParseObjectName(key)
		return []cache.ObjectName{name}, err
	}
	serviceHandler, err := services.Informer().AddEventHandler(handler{queue, serviceKey})
	if err != nil {
		return nil, err
	}
	ingressHandler, err := ingresses.Informer().AddEventHandler(handler{queue, ServiceKeys})
	c.handlers = append(c.handlers, serviceHandler, ingressHandler)
	return c, err
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
