//workshop:mutant client-asks-at-once
//workshop:fault the client is tried out while it is built
//workshop:step 1
//workshop:want made a request
//workshop:want without asking the server

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/discovery"
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, err
	}
	if _, err := client.ServerVersion(); err != nil {
		return nil, err
	}
	return client, nil
}
