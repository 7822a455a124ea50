//workshop:mutant stop-informers-left
//workshop:fault the end of the informers is not waited for
//workshop:step 8
//workshop:want still runs
//workshop:want factory.Shutdown

package main

import (
	"context"
	"errors"
	"time"

	"k8s.io/client-go/informers"
)

func StopAll(stop context.CancelFunc, factory informers.SharedInformerFactory, workers <-chan error, timeout time.Duration) error {
	stop()
	_ = factory
	select {
	case err := <-workers:
		return err
	case <-time.After(timeout):
		return errors.New("a worker still runs")
	}
}
