//workshop:mutant clientset-or-die
//workshop:fault NewForConfigOrDie ends the caller's program
//workshop:step 1
//workshop:want panicked

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.Burst = 50, 100
	cfg.UserAgent = "client-go-workshop/clientset"
	return kubernetes.NewForConfigOrDie(cfg), nil
}
