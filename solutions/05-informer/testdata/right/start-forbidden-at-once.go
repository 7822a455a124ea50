//workshop:accept start-forbidden-at-once
//workshop:why a refusal that will not go away may end the wait early
//workshop:step StartPods

package main

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

func StartPods(ctx context.Context, factory informers.SharedInformerFactory, wait func(context.Context) error) error {
	waiting, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	var informer cache.SharedInformer = factory.Core().V1().Pods().Informer()
	err := informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
		if apierrors.IsForbidden(err) {
			giveUp(err)
		}
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	if err := wait(waiting); err != nil {
		return fmt.Errorf("list pods: %w", errors.Join(context.Cause(waiting), err))
	}
	return nil
}
