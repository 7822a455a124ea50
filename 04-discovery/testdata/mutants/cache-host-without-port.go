//workshop:mutant cache-host-without-port
//workshop:fault the folder is named after the host without its port
//workshop:step 7
//workshop:want differ by their port

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
	server, err := url.Parse(cfg.Host)
	if err != nil {
		return nil, err
	}
	return disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, server.Hostname()), "", ttl)
}
