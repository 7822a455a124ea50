//workshop:mutant clientset-burst-default
//workshop:fault Burst is 10
//workshop:step 1
//workshop:want requests go at once

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.Burst = 50, 10
	cfg.UserAgent = "client-go-workshop/clientset"
	return kubernetes.NewForConfig(cfg)
}
