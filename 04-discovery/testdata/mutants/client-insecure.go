//workshop:mutant client-insecure
//workshop:fault the server's certificate is not verified
//workshop:step 1
//workshop:want certificate is not verified

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/discovery"
	cfg.Insecure, cfg.CAFile, cfg.CAData = true, "", nil
	return discovery.NewDiscoveryClientForConfig(cfg)
}
