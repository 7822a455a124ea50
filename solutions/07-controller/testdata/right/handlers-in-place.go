//workshop:accept handlers-in-place
//workshop:why the two handlers may be written out, and a tombstone unwrapped by hand
//workshop:step NewController

package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
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
	onService := func(obj any) {
		if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			namespace, name, err := cache.SplitMetaNamespaceKey(tombstone.Key)
			if err == nil {
				c.queue.Add(cache.ObjectName{Namespace: namespace, Name: name})
			}
			return
		}
		if service, ok := obj.(*corev1.Service); ok {
			c.queue.Add(cache.ObjectName{Namespace: service.Namespace, Name: service.Name})
		}
	}
	onIngress := func(obj any) {
		keys, err := ServiceKeys(obj)
		utilruntime.HandleError(err)
		for _, key := range keys {
			c.queue.Add(key)
		}
	}
	first, err := services.Informer().AddEventHandlerWithResyncPeriod(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(obj any, _ bool) { onService(obj) },
		UpdateFunc: func(_, after any) { onService(after) },
		DeleteFunc: onService,
	}, time.Second)
	if err != nil {
		return nil, err
	}
	second, err := ingresses.Informer().AddEventHandlerWithResyncPeriod(cache.ResourceEventHandlerFuncs{
		AddFunc:    onIngress,
		UpdateFunc: func(before, after any) { onIngress(before); onIngress(after) },
		DeleteFunc: onIngress,
	}, time.Second)
	if err != nil {
		return nil, err
	}
	c.handlers = []cache.ResourceEventHandlerRegistration{second, first}
	return c, nil
}
