//workshop:mutant client-burst-of-caller
//workshop:fault it raises the limits of the caller's config
//workshop:step 1
//workshop:want the caller's config was changed: Burst

package main

import (
	"fmt"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

func NewClient(cfg *rest.Config) (*dynamic.DynamicClient, error) {
	cfg.Burst = 100
	cfg.RateLimiter = flowcontrol.NewFakeAlwaysRateLimiter()
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "client-go-workshop/dynamic"

	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("build the dynamic client: %w", err)
	}
	return client, nil
}
