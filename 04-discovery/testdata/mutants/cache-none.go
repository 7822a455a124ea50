//workshop:mutant cache-none
//workshop:fault the client remembers nothing
//workshop:step 7
//workshop:want the answers are not kept

package main

import (
	"context"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

type forgetful struct {
	discovery.DiscoveryInterfaceWithContext
}

func (forgetful) FreshWithContext(context.Context) bool { return true }

func (forgetful) InvalidateWithContext(context.Context) {}

func NewCachedClient(cfg *rest.Config, dir string, ttl time.Duration) (discovery.CachedDiscoveryInterfaceWithContext, error) {
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, err
	}
	return forgetful{client}, nil
}
