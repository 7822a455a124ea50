//workshop:mutant stop-workers-error-dropped
//workshop:fault the error of the workers is dropped
//workshop:step 8
//workshop:want workers sent an error

package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/informers"
)

func StopAll(stop context.CancelFunc, factory informers.SharedInformerFactory, workers <-chan error, timeout time.Duration) error {
	stop()
	ended := make(chan struct{})
	go func() {
		factory.Shutdown()
		close(ended)
	}()
	timer := time.After(timeout)
	select {
	case <-workers:
	case <-timer:
		return errors.New("a worker still runs")
	}
	select {
	case <-ended:
	case <-timer:
		return errors.New("an informer still runs")
	}
	return nil
}
