//workshop:mutant handlers-one-error-loses-both
//workshop:fault an error for one object loses the key of the other
//workshop:step 3
//workshop:want must not lose

package main

import (
	"fmt"

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
			if _, err := keys(after); err != nil {
				return
			}
			add(before)
			add(after)
		},
		DeleteFunc: add,
	}
}
