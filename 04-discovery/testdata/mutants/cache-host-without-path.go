//workshop:mutant cache-host-without-path
//workshop:fault the folder is named after host and port only
//workshop:step 7
//workshop:want the path of their address

package main

import (
	"net/url"
	"path/filepath"
	"strings"
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
	return disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, strings.ReplaceAll(server.Host, ":", "_")), "", ttl)
}
