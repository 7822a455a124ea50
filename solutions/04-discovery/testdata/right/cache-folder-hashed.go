//workshop:accept cache-folder-hashed
//workshop:why a hash of the address is a good name as well
//workshop:step NewCachedClient

package main

import (
	"crypto/sha256"
	"encoding/hex"
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
	sum := sha256.Sum256([]byte(cfg.Host))
	folder := filepath.Join(dir, hex.EncodeToString(sum[:]))
	return disk.NewCachedDiscoveryClientForConfig(rest.CopyConfig(cfg), folder, filepath.Join(folder, "http"), ttl)
}
