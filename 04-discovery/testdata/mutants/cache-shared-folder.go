//workshop:mutant cache-shared-folder
//workshop:fault all clusters share one folder
//workshop:step 7
//workshop:want two clusters share the files

package main

import (
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
	return disk.NewCachedDiscoveryClientForConfig(cfg, dir, "", ttl)
}
