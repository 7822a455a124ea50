//workshop:accept preferred-errors-as
//workshop:why errors.As and the function of the package do the same, the preferred resources first
//workshop:step DiscoverResources

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func DiscoverResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) (*Resources, error) {
	failed := map[schema.GroupVersion]error{}
	preferred, err := discovery.ServerPreferredResourcesWithContext(ctx, client)
	var partial *discovery.ErrGroupDiscoveryFailed
	if errors.As(err, &partial) {
		maps.Copy(failed, partial.Groups)
	} else if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	_, all, err := discovery.ServerGroupsAndResourcesWithContext(ctx, client)
	if errors.As(err, &partial) {
		maps.Copy(failed, partial.Groups)
	} else if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	return &Resources{All: all, Preferred: preferred, Failed: failed}, nil
}
