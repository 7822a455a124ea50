//workshop:mutant cache-ttl-fixed
//workshop:fault the files are good for six hours, whatever ttl says
//workshop:step 7
//workshop:want ttl is how long a file is good

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
	return disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, url.QueryEscape(cfg.Host)), "", 6*time.Hour)
}
