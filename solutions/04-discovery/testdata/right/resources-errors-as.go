//workshop:accept resources-errors-as
//workshop:why an error of discovery is looked at with errors.As, in a function for both calls
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

func (r *Resources) add(err error) error {
	var partial *discovery.ErrGroupDiscoveryFailed
	if errors.As(err, &partial) {
		maps.Copy(r.Failed, partial.Groups)
		return nil
	}
	return err
}

func DiscoverResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) (*Resources, error) {
	found := &Resources{Failed: map[schema.GroupVersion]error{}}
	var errAll, errPreferred error
	_, found.All, errAll = discovery.ServerGroupsAndResourcesWithContext(ctx, client)
	if err := found.add(errAll); err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	var lists []*metav1.APIResourceList
	lists, errPreferred = discovery.ServerPreferredResourcesWithContext(ctx, client)
	if err := found.add(errPreferred); err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	found.Preferred = lists
	return found, nil
}
