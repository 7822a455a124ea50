//workshop:accept wait-polling
//workshop:why WaitForCacheSync asks HasSynced again and again
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
	for kind, ok := range factory.WaitForCacheSync(deadline.Done()) {
		if !ok {
			return fmt.Errorf("%s not in sync: %w", kind, deadline.Err())
		}
	}
	for _, handler := range handlers {
		if !cache.WaitForCacheSync(deadline.Done(), handler.HasSynced) {
			return fmt.Errorf("a handler is not in sync: %w", deadline.Err())
		}
	}
	return nil
}
