//workshop:mutant handlers-generation-only
//workshop:fault a change that raises no generation is dropped
//workshop:step 3
//workshop:want change of Service web

package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		AddFunc: add,
		UpdateFunc: func(before, after any) {
			if before != after && before.(metav1.Object).GetGeneration() == after.(metav1.Object).GetGeneration() {
				return
			}
			add(before)
			add(after)
		},
		DeleteFunc: add,
	}
}
