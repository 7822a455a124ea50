//workshop:mutant stop-no-timeout
//workshop:fault a handler that hangs is waited for without an end
//workshop:step 8
//workshop:want did not return

package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/informers"
)

func StopAll(stop context.CancelFunc, factory informers.SharedInformerFactory, workers <-chan error, timeout time.Duration) error {
	stop()
	factory.Shutdown()
	select {
	case err := <-workers:
		return err
	case <-time.After(timeout):
		return errors.New("a worker still runs")
	}
}
