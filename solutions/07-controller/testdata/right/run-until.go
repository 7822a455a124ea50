//workshop:accept run-until
//workshop:why wait.UntilWithContext may run the workers, and WaitForCacheSync may poll
//workshop:step Run

package main

import (
	"context"
	"errors"
	"sync"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
)

func (c *Controller) Run(ctx context.Context) error {
	defer utilruntime.HandleCrash()
	defer c.queue.ShutDown()
	if c.options.Workers <= 0 {
		return errors.New("no workers")
	}
	var synced []cache.InformerSynced
	for _, handler := range c.handlers {
		synced = append(synced, handler.HasSynced)
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var once sync.Once
	var failed error
	for range c.options.Workers {
		group.Add(1)
		go func() {
			defer group.Done()
			wait.UntilWithContext(ctx, func(ctx context.Context) {
				if err := c.worker(ctx); err != nil {
					once.Do(func() { failed = err })
					cancel()
				}
			}, time.Second)
		}()
	}
	<-ctx.Done()
	c.queue.ShutDown()
	group.Wait()
	return failed
}
