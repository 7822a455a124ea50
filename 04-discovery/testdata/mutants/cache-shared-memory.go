//workshop:mutant cache-shared-memory
//workshop:fault a package variable remembers for every server
//workshop:step 7
//workshop:want package-level variable is shared by all

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

var remembered discovery.CachedDiscoveryInterfaceWithContext

func NewCachedClient(cfg *rest.Config, dir string, ttl time.Duration) (discovery.CachedDiscoveryInterfaceWithContext, error) {
	if dir == "" && remembered != nil {
		return remembered, nil
	}
	if dir == "" {
		client, err := discovery.NewDiscoveryClientForConfig(cfg)
		if err != nil {
			return nil, err
		}
		remembered = memory.NewMemCacheClientWithContext(client)
		return remembered, nil
	}
	return disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, url.QueryEscape(cfg.Host)), "", ttl)
}
