//workshop:mutant resources-namespaced-only
//workshop:fault cluster-scoped resources are filtered out
//workshop:step 3
//workshop:want filter nothing

package main

import (
	"context"
	"fmt"

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
	namespaced := func(_ string, resource *metav1.APIResource) bool { return resource.Namespaced }
	return discovery.FilteredBy(discovery.ResourcePredicateFunc(namespaced), lists), failed, nil
}
