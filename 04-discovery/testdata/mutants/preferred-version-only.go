//workshop:mutant preferred-version-only
//workshop:fault a resource that only older versions have is lost
//workshop:step 4
//workshop:want preferred version need not have every resource

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
	preferred := map[string]bool{}
	for _, group := range groups {
		preferred[group.PreferredVersion.GroupVersion] = true
	}
	var lists []*metav1.APIResourceList
	for _, list := range all {
		if preferred[list.GroupVersion] {
			lists = append(lists, list)
		}
	}
	top := func(_ string, resource *metav1.APIResource) bool { return !strings.Contains(resource.Name, "/") }
	return discovery.FilteredBy(discovery.ResourcePredicateFunc(top), lists), failed, nil
}
