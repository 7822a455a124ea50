//workshop:accept resources-from-the-aggregated-form
//workshop:why the aggregated document can be read directly
//workshop:step DiscoverResources

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func DiscoverResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) (*Resources, error) {
	aggregated, ok := client.(discovery.AggregatedDiscoveryInterfaceWithContext)
	if !ok {
		return nil, errors.New("not a discovery client that can do this")
	}
	_, byVersion, stale, err := aggregated.GroupsAndMaybeResourcesWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	failed := map[schema.GroupVersion]error{}
	maps.Copy(failed, stale)
	var all []*metav1.APIResourceList
	for _, list := range byVersion {
		all = append(all, list)
	}
	if byVersion == nil { // an old server
		_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
		old, err := failedGroups(err)
		if err != nil {
			return nil, err
		}
		all = lists
		maps.Copy(failed, old)
	}
	preferred, err := client.ServerPreferredResourcesWithContext(ctx)
	alsoFailed, err := failedGroups(err)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	maps.Copy(failed, alsoFailed)
	return &Resources{All: all, Preferred: preferred, Failed: failed}, nil
}
