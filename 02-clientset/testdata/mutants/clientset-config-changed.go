//workshop:mutant clientset-config-changed
//workshop:fault the caller's config is changed
//workshop:step 1
//workshop:want the caller's config was changed
//workshop:want CopyConfig

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg.QPS, cfg.Burst = 50, 100
	cfg.UserAgent = "client-go-workshop/clientset"
	return kubernetes.NewForConfig(cfg)
}
