//workshop:accept clientset-uncompressed
//workshop:why a client may ask for answers without compression
//workshop:step NewClientset

package main

import (
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func NewClientset(cfg *rest.Config) (*kubernetes.Clientset, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.Burst = 50, 100
	cfg.UserAgent = "client-go-workshop/clientset"
	cfg.DisableCompression = true
	return kubernetes.NewForConfig(cfg)
}
