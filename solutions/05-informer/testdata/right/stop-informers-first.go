//workshop:accept stop-informers-first
//workshop:why the informers are waited for before the workers
//workshop:step StopAll

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
	case <-ended:
	case <-timer:
		return errors.New("an informer still runs")
	}
	select {
	case err := <-workers:
		return err
	case <-timer:
		return errors.New("a worker still runs")
	}
}
