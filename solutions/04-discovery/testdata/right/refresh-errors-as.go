//workshop:accept refresh-errors-as
//workshop:why both kinds of no match can be told by errors.As, and the error handed on as it is
//workshop:step RefreshOnNoMatch

package main

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
)

func RefreshOnNoMatch(
	ctx context.Context,
	client discovery.CachedDiscoveryInterfaceWithContext,
	lookUp func(context.Context) (*meta.RESTMapping, error),
) (*meta.RESTMapping, error) {
	mapping, err := lookUp(ctx)
	var noResource *meta.NoResourceMatchError
	var noKind *meta.NoKindMatchError
	if !errors.As(err, &noResource) && !errors.As(err, &noKind) {
		return mapping, err
	}
	client.InvalidateWithContext(ctx)
	mapping, err = lookUp(ctx)
	if !errors.As(err, &noResource) && !errors.As(err, &noKind) {
		return mapping, err
	}
	if _, _, failed := client.ServerGroupsAndResourcesWithContext(ctx); failed != nil {
		return nil, failed
	}
	return nil, err
}
