//workshop:mutant handlers-error-panics
//workshop:fault an error of the policy ends the program
//workshop:step 3
//workshop:want panic

package main

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

func (c *Controller) enqueue(keys func(obj any) ([]cache.ObjectName, error)) cache.ResourceEventHandler {
	add := func(obj any) {
		found, err := keys(obj)
		if err != nil {
			panic(fmt.Errorf("find the keys of an event: %w", err))
			return
		}
		for _, key := range found {
			c.queue.Add(key)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    add,
		UpdateFunc: func(before, after any) { add(before); add(after) },
		DeleteFunc: add,
	}
}
