//workshop:accept start-forbidden-at-once
//workshop:why a refusal that will not go away may end the wait early
//workshop:step StartPods

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, timeout time.Duration, handlers ...cache.ResourceEventHandlerRegistration) error {
	refused := make(chan error, 1)
	var informer cache.SharedInformer = factory.Core().V1().Pods().Informer()
	err := informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
		if apierrors.IsForbidden(err) {
			select {
			case refused <- err:
			default:
			}
		}
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	deadline, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case <-informer.HasSyncedChecker().Done():
	case err := <-refused:
		return fmt.Errorf("list pods: %w", err)
	case <-deadline.Done():
		return fmt.Errorf("sync: %w", deadline.Err())
	}
	for _, handler := range handlers {
		if !cache.WaitFor(deadline, "", handler.HasSyncedChecker()) {
			return fmt.Errorf("sync of a handler: %w", context.Cause(deadline))
		}
	}
	return nil
}
