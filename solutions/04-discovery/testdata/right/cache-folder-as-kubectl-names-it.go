//workshop:accept cache-folder-as-kubectl-names-it
//workshop:why kubectl puts an underscore for what does not belong into a file name
//workshop:step NewCachedClient

package main

import (
	"path/filepath"
	"regexp"
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
	host := strings.TrimPrefix(strings.TrimPrefix(cfg.Host, "https://"), "http://")
	safe := regexp.MustCompile(`[^(\w/.)]`).ReplaceAllString(host, "_")
	return disk.NewCachedDiscoveryClientForConfig(cfg, filepath.Join(dir, safe), "", ttl)
}
