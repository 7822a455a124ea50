//workshop:mutant start-pause
//workshop:fault a pause takes the place of the wait
//workshop:step 3
//workshop:want a pause is no wait

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
	time.Sleep(min(timeout, 300*time.Millisecond)) // less than the first pause of a reflector
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, handler := range handlers {
		if !cache.WaitFor(deadline, "", handler.HasSyncedChecker()) {
			return fmt.Errorf("sync of a handler: %w", context.Cause(deadline))
		}
	}
	return nil
}
