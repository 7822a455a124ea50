//workshop:mutant start-result-dropped
//workshop:fault the result of the wait is dropped
//workshop:step 3
//workshop:want forbids
//workshop:want result of the wait is dropped

package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	factory.Core().V1().Pods().Informer()
	factory.StartWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	factory.WaitForCacheSync(deadline.Done())
	for _, handler := range handlers {
		if !cache.WaitFor(deadline, "", handler.HasSyncedChecker()) {
			return fmt.Errorf("sync of a handler: %w", context.Cause(deadline))
		}
	}
	return nil
}
