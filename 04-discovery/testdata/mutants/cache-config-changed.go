//workshop:mutant cache-config-changed
//workshop:fault the caller's config is changed
//workshop:step 7
//workshop:want caller's config was changed

package main

import (
	"net/url"
	"path/filepath"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
)

func NewCachedClient(cfg *rest.Config, dir string, ttl time.Duration) (discovery.CachedDiscoveryInterfaceWithContext, error) {
	cfg.Timeout = 10 * time.Second
	if dir == "" {
		client, err := discovery.NewDiscoveryClientForConfig(cfg)
		if err != nil {
			return nil, err
		}
		return memory.NewMemCacheClientWithContext(client), nil
	}
	return disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, url.QueryEscape(cfg.Host)), "", ttl)
}
