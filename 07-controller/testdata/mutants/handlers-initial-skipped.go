//workshop:mutant handlers-initial-skipped
//workshop:fault what is there at the start is no event, so what changed while the controller was down is lost
//workshop:step 3
//workshop:want none may be passed over

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
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			if !initial {
				add(obj)
			}
		},
		UpdateFunc: func(before, after any) { add(before); add(after) },
		DeleteFunc: add,
	}
}
