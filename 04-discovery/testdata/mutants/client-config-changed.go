//workshop:mutant client-config-changed
//workshop:fault the caller's config gets the user agent
//workshop:step 1
//workshop:want caller's config was changed
//workshop:want rest.CopyConfig

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg.UserAgent = "client-go-workshop/discovery"
	return discovery.NewDiscoveryClientForConfig(cfg)
}
