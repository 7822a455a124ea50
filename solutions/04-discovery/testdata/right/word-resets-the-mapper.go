//workshop:accept word-resets-the-mapper
//workshop:why resetting a mapper makes its client forget
//workshop:step RefreshOnNoMatch

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

func RefreshOnNoMatch(
	ctx context.Context,
	client discovery.CachedDiscoveryInterfaceWithContext,
	lookUp func(context.Context) (*meta.RESTMapping, error),
) (*meta.RESTMapping, error) {
	mapper := restmapper.NewDeferredDiscoveryRESTMapperWithContext(client)
	mapping, err := lookUp(ctx)
	if meta.IsNoMatchError(err) {
		meta.MaybeResetRESTMapperWithContext(ctx, mapper)
		mapping, err = lookUp(ctx)
	}
	if meta.IsNoMatchError(err) {
		if _, _, failed := client.ServerGroupsAndResourcesWithContext(ctx); failed != nil {
			return nil, fmt.Errorf("find a resource: %w", failed)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("find a resource: %w", err)
	}
	return mapping, nil
}
