//workshop:mutant client-user-agent-when-empty
//workshop:fault the UserAgent is set only when there is none
//workshop:step 1
//workshop:want UserAgent is to be exactly this

package main

import (
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	cfg = rest.CopyConfig(cfg)
	if cfg.UserAgent == "" {
		cfg.UserAgent = "client-go-workshop/dynamic"
	}

	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the dynamic client: %w", err)
	}
	return client, nil
}
