//workshop:accept wait-handlers-first
//workshop:why a handler has seen the list only when the cache has it
//workshop:step WaitForSync

package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func WaitForSync(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, context.DeadlineExceeded)
	defer cancel()
	for _, handler := range handlers {
		select {
		case <-handler.HasSyncedChecker().Done():
		case <-ctx.Done():
			return errors.Join(errors.New("a handler is not in sync"), ctx.Err())
		}
	}
	return factory.WaitForCacheSyncWithContext(ctx).AsError()
}
