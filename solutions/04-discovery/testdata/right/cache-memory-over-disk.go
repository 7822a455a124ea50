//workshop:accept cache-memory-over-disk
//workshop:why a memory cache may stand before the one on disk
//workshop:step NewCachedClient

package main

import (
	"fmt"
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
		return memory.NewMemCacheClientWithContext(client), nil
	}
	client, err := disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, url.QueryEscape(cfg.Host)), "", ttl)
	if err != nil {
		return nil, fmt.Errorf("build the cached client: %w", err)
	}
	return memory.NewMemCacheClientWithContext(client), nil
}
