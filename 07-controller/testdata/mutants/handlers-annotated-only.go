//workshop:mutant handlers-annotated-only
//workshop:fault a Service that asks for nothing is passed over, also when it did before
//workshop:step 3
//workshop:want a change of Service

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
)

func serviceKey(obj any) ([]cache.ObjectName, error) {
	if service, ok := obj.(*corev1.Service); ok && service.Annotations[httpAnnotation] != "true" {
		return nil, nil
	}
	key, err := cache.DeletionHandlingObjectToName(obj)
	return []cache.ObjectName{key}, err
}

func (c *Controller) enqueue(keys func(obj any) ([]cache.ObjectName, error)) cache.ResourceEventHandler {
	add := func(obj any) {
		found, err := keys(obj)
		if err != nil {
			utilruntime.HandleError(fmt.Errorf("find the keys of an event: %w", err))
			return
		}
		for _, key := range found {
			c.queue.Add(key)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(before, after any) { add(after) },
		DeleteFunc: add,
	}
}
