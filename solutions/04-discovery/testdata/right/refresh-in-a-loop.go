//workshop:accept refresh-in-a-loop
//workshop:why a loop of two rounds looks no more than twice
//workshop:step RefreshOnNoMatch

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/discovery"
)

func RefreshOnNoMatch(
	ctx context.Context,
	client discovery.CachedDiscoveryInterfaceWithContext,
	lookUp func(context.Context) (*meta.RESTMapping, error),
) (*meta.RESTMapping, error) {
	for again := false; ; again = true {
		mapping, err := lookUp(ctx)
		switch {
		case err == nil:
			return mapping, nil
		case again && meta.IsNoMatchError(err):
			if _, err := client.ServerPreferredResourcesWithContext(ctx); err != nil {
				return nil, fmt.Errorf("discover: %w", err)
			}
			return nil, fmt.Errorf("find a resource: %w", err)
		case again || !meta.IsNoMatchError(err):
			return nil, fmt.Errorf("find a resource: %w", err)
		}
		client.InvalidateWithContext(ctx)
	}
}
