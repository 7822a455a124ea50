//workshop:mutant start-no-informer
//workshop:fault the factory is started before the informer is asked for
//workshop:step 3
//workshop:want no request for pods
//workshop:want asked for by then

package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	factory.StartWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := factory.WaitForCacheSyncWithContext(deadline).AsError(); err != nil {
		return err
	}
	factory.Core().V1().Pods().Lister()
	for _, handler := range handlers {
		if !cache.WaitFor(deadline, "", handler.HasSyncedChecker()) {
			return fmt.Errorf("sync of a handler: %w", context.Cause(deadline))
		}
	}
	return nil
}
