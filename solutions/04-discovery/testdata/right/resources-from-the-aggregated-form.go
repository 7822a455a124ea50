//workshop:accept resources-from-the-aggregated-form
//workshop:why the aggregated document can be read directly
//workshop:step ServerResources

package main

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	aggregated, ok := client.(discovery.AggregatedDiscoveryInterfaceWithContext)
	if !ok {
		return nil, nil, errors.New("not a discovery client that can do this")
	}
	_, byVersion, failed, err := aggregated.GroupsAndMaybeResourcesWithContext(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	if byVersion == nil { // an old server
		_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
		old, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
		if err != nil && !partial {
			return nil, nil, err
		}
		return lists, old, nil
	}
	var lists []*metav1.APIResourceList
	for _, list := range byVersion {
		lists = append(lists, list)
	}
	return lists, failed, nil
}
