//workshop:accept preferred-by-hand
//workshop:why groups and lists of one discovery are enough
//workshop:step DiscoverResources

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func DiscoverResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) (*Resources, error) {
	groups, all, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, fmt.Errorf("discover: %w", err)
	}
	rank := map[string]int{}
	for _, group := range groups {
		for i, version := range group.Versions {
			rank[version.GroupVersion] = i + 1
		}
		rank[group.PreferredVersion.GroupVersion] = 0
	}
	slices.SortFunc(all, func(a, b *metav1.APIResourceList) int {
		return cmp.Compare(rank[a.GroupVersion], rank[b.GroupVersion])
	})
	seen := map[schema.GroupResource]bool{}
	var preferred []*metav1.APIResourceList
	for _, list := range all {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		own := &metav1.APIResourceList{GroupVersion: list.GroupVersion}
		for _, resource := range list.APIResources {
			gr := schema.GroupResource{Group: gv.Group, Resource: resource.Name}
			if !seen[gr] && !strings.Contains(resource.Name, "/") {
				seen[gr] = true
				own.APIResources = append(own.APIResources, resource)
			}
		}
		preferred = append(preferred, own)
	}
	return &Resources{All: all, Preferred: preferred, Failed: failed}, nil
}
