//workshop:accept resources-asks-for-the-cause
//workshop:why what failed is asked for once more, for the server's own words
//workshop:step ServerResources

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	var partial *discovery.ErrGroupDiscoveryFailed
	switch {
	case err == nil:
		return lists, nil, nil
	case !errors.As(err, &partial):
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	failed := map[schema.GroupVersion]error{}
	for gv, stale := range partial.Groups {
		_, err := client.ServerResourcesForGroupVersionWithContext(ctx, gv.String())
		failed[gv] = errors.Join(stale, err)
	}
	slices.SortFunc(lists, func(a, b *metav1.APIResourceList) int { return strings.Compare(a.GroupVersion, b.GroupVersion) })
	return lists, failed, nil
}
