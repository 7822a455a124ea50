//workshop:mutant clientset-once
//workshop:fault the first client is kept for the process
//workshop:step 1
//workshop:want the client of the first

package main

import (
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

var (
	once    sync.Once
	theOnly *kubernetes.Clientset
	theErr  error
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	once.Do(func() {
		cfg = rest.CopyConfig(cfg)
		cfg.QPS, cfg.Burst, cfg.UserAgent = 50, 100, "client-go-workshop/clientset"
		theOnly, theErr = kubernetes.NewForConfig(cfg)
	})
	return theOnly, theErr
}
