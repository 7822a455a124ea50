//workshop:mutant start-no-wait
//workshop:fault nothing is waited for
//workshop:step 3
//workshop:want holds 0 of 3 pods
//workshop:want does not wait

package main

import (
	"context"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	factory.Core().V1().Pods().Informer()
	factory.StartWithContext(ctx)
	return nil
}
