//workshop:mutant handlers-ingress-no-delete
//workshop:fault an Ingress that is deleted by hand is passed over
//workshop:step 3
//workshop:want somebody deletes has to come back

package main

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
)

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
		UpdateFunc: func(before, after any) { add(before); add(after) },
		DeleteFunc: func(obj any) {
			if _, isIngress := obj.(*networkingv1.Ingress); !isIngress {
				add(obj)
			}
		},
	}
}
