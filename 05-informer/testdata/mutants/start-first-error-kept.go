//workshop:mutant start-first-error-kept
//workshop:fault the first error is kept, and not the last
//workshop:step 3
//workshop:want the error is the first

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	errs := make(chan error, 1)
	informer := factory.Core().V1().Pods().Informer()
	if err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		select {
		case errs <- err:
		default:
		}
	}); err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	synced := []cache.InformerSynced{informer.HasSynced}
	for _, h := range handlers {
		synced = append(synced, h.HasSynced)
	}
	if !cache.WaitForCacheSync(deadline.Done(), synced...) {
		var first error
		select {
		case first = <-errs:
		default:
		}
		return fmt.Errorf("wait: %w", errors.Join(first, context.Cause(deadline)))
	}
	return nil
}
