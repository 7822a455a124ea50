//workshop:mutant client-no-user-agent
//workshop:fault the user agent is not set
//workshop:step 1
//workshop:want UserAgent is not set

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	return discovery.NewDiscoveryClientForConfig(rest.CopyConfig(cfg))
}
