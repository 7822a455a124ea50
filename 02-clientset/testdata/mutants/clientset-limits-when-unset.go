//workshop:mutant clientset-limits-when-unset
//workshop:fault the caller's own QPS, Burst and User-Agent are kept
//workshop:step 1
//workshop:want of its own

package main

import (
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	if cfg.QPS == 0 {
		cfg.QPS = 50
	}
	if cfg.Burst == 0 {
		cfg.Burst = 100
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "client-go-workshop/clientset"
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the clientset: %w", err)
	}
	return client, nil
}
