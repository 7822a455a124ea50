//workshop:mutant handlers-equal-dropped
//workshop:fault an update whose two objects are equal is dropped, so a resync does nothing
//workshop:step 3
//workshop:want resync

package main

import (
	"fmt"
	"reflect"

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
			if reflect.DeepEqual(before, after) {
				return
			}
			add(before)
			add(after)
		},
		DeleteFunc: add,
	}
}
