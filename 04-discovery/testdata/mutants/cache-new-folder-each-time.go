//workshop:mutant cache-new-folder-each-time
//workshop:fault each client has a folder of its own, so that nothing is found again
//workshop:step 7
//workshop:want files are not found again

package main

import (
	"net/url"
	"os"
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
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(dir, url.QueryEscape(cfg.Host))
	if err != nil {
		return nil, err
	}
	return disk.NewCachedDiscoveryClientForConfig(cfg, folder, "", ttl)
}
