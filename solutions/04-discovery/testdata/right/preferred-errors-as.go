//workshop:accept preferred-errors-as
//workshop:why errors.As and the function of the package do the same
//workshop:step PreferredResources

package main

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func PreferredResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	lists, err := discovery.ServerPreferredResourcesWithContext(ctx, client)
	var partial *discovery.ErrGroupDiscoveryFailed
	if errors.As(err, &partial) {
		return lists, partial.Groups, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	return lists, map[schema.GroupVersion]error{}, nil
}
