//workshop:mutant preferred-every-version
//workshop:fault each resource is there once for each version
//workshop:step 4
//workshop:want in the lists of several versions
//workshop:want each resource once

package main

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func PreferredResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	groups, all, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	_ = groups
	top := func(_ string, resource *metav1.APIResource) bool { return !strings.Contains(resource.Name, "/") }
	return discovery.FilteredBy(discovery.ResourcePredicateFunc(top), all), failed, nil
}
