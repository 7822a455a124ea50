//workshop:accept resources-asks-for-the-cause
//workshop:why what failed is asked for once more, for the server's own words
//workshop:step DiscoverResources

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
)

func DiscoverResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) (*Resources, error) {
	_, all, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, err := failedGroups(err)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	preferred, err := client.ServerPreferredResourcesWithContext(ctx)
	alsoFailed, err := failedGroups(err)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	maps.Copy(failed, alsoFailed)
	for gv, stale := range failed {
		_, err := client.ServerResourcesForGroupVersionWithContext(ctx, gv.String())
		failed[gv] = errors.Join(stale, err)
	}
	slices.SortFunc(all, func(a, b *metav1.APIResourceList) int { return strings.Compare(a.GroupVersion, b.GroupVersion) })
	return &Resources{All: all, Preferred: preferred, Failed: failed}, nil
}
