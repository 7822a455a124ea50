//workshop:mutant stop-workers-left
//workshop:fault the end of the workers is not waited for
//workshop:step 8
//workshop:want still at work

package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/informers"
)

func StopAll(stop context.CancelFunc, factory informers.SharedInformerFactory, workers <-chan error, timeout time.Duration) error {
	stop()
	_ = workers
	ended := make(chan struct{})
	go func() {
		factory.Shutdown()
		close(ended)
	}()
	timer := time.After(timeout)
	select {
	case <-ended:
		return nil
	case <-timer:
		return errors.New("an informer still runs")
	}
}
