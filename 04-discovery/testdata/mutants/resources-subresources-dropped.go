//workshop:mutant resources-subresources-dropped
//workshop:fault subresources are filtered out
//workshop:step 3
//workshop:want filter nothing

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	for _, l := range lists {
		l.APIResources = slices.DeleteFunc(l.APIResources, func(r metav1.APIResource) bool { return strings.Contains(r.Name, "/") })
	}
	return lists, failed, nil
}
