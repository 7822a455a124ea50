//workshop:mutant cache-last-part-of-the-path
//workshop:fault the folder has the name of the last part of the address
//workshop:step 7
//workshop:want two addresses may end alike

package main

import (
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
	return disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, filepath.Base(cfg.Host)), "", ttl)
}
