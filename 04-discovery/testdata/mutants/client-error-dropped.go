//workshop:mutant client-error-dropped
//workshop:fault the error of the constructor is dropped
//workshop:step 1
//workshop:want error of the constructor is dropped

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/discovery"
	client, _ := discovery.NewDiscoveryClientForConfig(cfg)
	return client, nil
}
