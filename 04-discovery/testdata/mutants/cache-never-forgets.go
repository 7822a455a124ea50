//workshop:mutant cache-never-forgets
//workshop:fault InvalidateWithContext is lost in a wrapper
//workshop:step 7
//workshop:want InvalidateWithContext must reach the cache

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

type stubborn struct {
	discovery.CachedDiscoveryInterfaceWithContext
}

func (stubborn) InvalidateWithContext(context.Context) {}

func NewCachedClient(cfg *rest.Config, dir string, ttl time.Duration) (discovery.CachedDiscoveryInterfaceWithContext, error) {
	if dir == "" {
		client, err := discovery.NewDiscoveryClientForConfig(cfg)
		if err != nil {
			return nil, err
		}
		return stubborn{memory.NewMemCacheClientWithContext(client)}, nil
	}
	return disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, url.QueryEscape(cfg.Host)), "", ttl)
}
