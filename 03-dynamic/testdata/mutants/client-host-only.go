//workshop:mutant client-host-only
//workshop:fault a new config without TLS and credentials
//workshop:step 1
//workshop:want which keeps TLS, credentials and wrappers

package main

import (
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	cfg = &rest.Config{Host: cfg.Host}
	cfg.UserAgent = "client-go-workshop/dynamic"

	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the dynamic client: %w", err)
	}
	return client, nil
}
