//workshop:accept client-uncompressed
//workshop:why a client may ask for answers without compression
//workshop:step NewClient

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/discovery"
	cfg.DisableCompression = true
	return discovery.NewDiscoveryClientForConfig(cfg)
}
