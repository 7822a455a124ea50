//workshop:accept client-with-http-client
//workshop:why the HTTP client can be built first and shared
//workshop:step NewClient

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	own := *cfg
	own.UserAgent = "client-go-workshop/discovery"
	httpClient, err := rest.HTTPClientFor(&own)
	if err != nil {
		return nil, err
	}
	client, err := discovery.NewDiscoveryClientForConfigAndClient(&own, httpClient)
	if err != nil {
		return nil, err
	}
	return client, nil
}
