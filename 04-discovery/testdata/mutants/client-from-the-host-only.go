//workshop:mutant client-from-the-host-only
//workshop:fault a new config is made from the host, without credentials and wrappers
//workshop:step 1
//workshop:want not built from cfg

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	return discovery.NewDiscoveryClientForConfig(&rest.Config{Host: cfg.Host, TLSClientConfig: cfg.TLSClientConfig, UserAgent: "client-go-workshop/discovery"})
}
