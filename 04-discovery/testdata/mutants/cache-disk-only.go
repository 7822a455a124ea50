//workshop:mutant cache-disk-only
//workshop:fault without a folder, the files land in the working directory
//workshop:step 7
//workshop:want into the working directory
//workshop:want memory.NewMemCacheClientWithContext

package main

import (
	"net/url"
	"path/filepath"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/disk"
	"k8s.io/client-go/rest"
)

func NewCachedClient(cfg *rest.Config, dir string, ttl time.Duration) (discovery.CachedDiscoveryInterfaceWithContext, error) {
	if dir != "" {
		dir = filepath.Join(dir, url.QueryEscape(cfg.Host))
	}
	return disk.NewCachedDiscoveryClientForConfig(cfg, dir, "", ttl)
}
