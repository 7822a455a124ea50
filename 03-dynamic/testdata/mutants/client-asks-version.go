//workshop:mutant client-asks-version
//workshop:fault the server is asked while the client is built
//workshop:step 1
//workshop:want without asking the server

package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/dynamic"

	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the dynamic client: %w", err)
	}
	discoveryClient, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, err
	}
	if _, err := discoveryClient.ServerVersionWithContext(context.Background()); err != nil {
		return nil, err
	}
	return client, nil
}
