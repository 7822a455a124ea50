//workshop:mutant client-user-agent-when-unset
//workshop:fault the user agent is set only when the caller has none
//workshop:step 1
//workshop:want the one that the caller had does not count

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.CopyConfig(cfg)
	if cfg.UserAgent == "" {
		cfg.UserAgent = "client-go-workshop/discovery"
	}
	return discovery.NewDiscoveryClientForConfig(cfg)
}
