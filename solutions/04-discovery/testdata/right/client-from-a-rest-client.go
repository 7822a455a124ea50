//workshop:accept client-from-a-rest-client
//workshop:why a RESTClient without a group-version is all that it needs
//workshop:step NewClient

package main

import (
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (discovery.DiscoveryInterfaceWithContext, error) {
	cfg = rest.AddUserAgent(rest.CopyConfig(cfg), "ignored")
	cfg.UserAgent = "client-go-workshop/discovery"
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		return nil, err
	}
	return discovery.NewDiscoveryClient(client), nil
}
