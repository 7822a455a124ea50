//workshop:mutant cache-filled-at-once
//workshop:fault the server is asked while the client is built
//workshop:step 7
//workshop:want made a request

package main

import (
	"context"
	"net/url"
	"path/filepath"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
)

func NewCachedClient(cfg *rest.Config, dir string, ttl time.Duration) (discovery.CachedDiscoveryInterfaceWithContext, error) {
	if dir == "" {
		client, err := discovery.NewDiscoveryClientForConfig(cfg)
		if err != nil {
			return nil, err
		}
		cached := memory.NewMemCacheClientWithContext(client)
		if _, err := cached.ServerGroupsWithContext(context.Background()); err != nil {
			return nil, err
		}
		return cached, nil
	}
	return disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, url.QueryEscape(cfg.Host)), "", ttl)
}
