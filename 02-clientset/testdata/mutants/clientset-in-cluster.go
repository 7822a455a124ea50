//workshop:mutant clientset-in-cluster
//workshop:fault the config is the in-cluster one, whatever the caller gave
//workshop:step 1
//workshop:want for a program that runs in a pod

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg, err := rest.InClusterConfig()
	if err != nil {
		return nil, err
	}
	cfg.QPS, cfg.Burst = 50, 100
	cfg.UserAgent = "client-go-workshop/clientset"
	return kubernetes.NewForConfig(cfg)
}
