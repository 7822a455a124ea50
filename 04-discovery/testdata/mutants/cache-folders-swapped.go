//workshop:mutant cache-folders-swapped
//workshop:fault the folder is given as the one for HTTP
//workshop:step 7
//workshop:want into the working directory
//workshop:want first is for discovery

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
	if dir == "" {
		client, err := discovery.NewDiscoveryClientForConfig(cfg)
		if err != nil {
			return nil, err
		}
		return memory.NewMemCacheClientWithContext(client), nil
	}
	return disk.NewCachedDiscoveryClientForConfig(cfg, "", filepath.Join(dir, url.QueryEscape(cfg.Host)), ttl)
}
