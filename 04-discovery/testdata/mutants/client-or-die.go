//workshop:mutant client-or-die
//workshop:fault a bad config ends the program
//workshop:step 1
//workshop:want panicked

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/discovery"
	return discovery.NewDiscoveryClientForConfigOrDie(cfg), nil
}
