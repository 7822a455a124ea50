//workshop:mutant client-with-a-path
//workshop:fault the client is one for core/v1, and its documents are looked for below /api/v1
//workshop:step 1
//workshop:want no APIPath and no GroupVersion

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/discovery"
	cfg.Host += "/api/v1"
	return discovery.NewDiscoveryClientForConfig(cfg)
}
