//workshop:accept resources-errors-as
//workshop:why errors.As and the function of the package do the same
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
	_, lists, err := discovery.ServerGroupsAndResourcesWithContext(ctx, client)
	var partial *discovery.ErrGroupDiscoveryFailed
	if errors.As(err, &partial) {
		return lists, partial.Groups, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	return lists, map[schema.GroupVersion]error{}, nil
}
