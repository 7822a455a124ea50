//workshop:accept wait-all-handlers-at-once
//workshop:why one wait for all handlers
//workshop:step WaitForSync

package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func WaitForSync(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := factory.WaitForCacheSyncWithContext(deadline).AsError(); err != nil {
		return err
	}
	var checkers []cache.DoneChecker
	for _, handler := range handlers {
		checkers = append(checkers, handler.HasSyncedChecker())
	}
	if !cache.WaitFor(deadline, "", checkers...) {
		return fmt.Errorf("handlers: %w", context.Cause(deadline))
	}
	return nil
}
