//workshop:mutant preferred-subresources
//workshop:fault subresources count as resources
//workshop:step 4
//workshop:want is a subresource

package main

import (
	"context"
	"fmt"

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
	seen := map[schema.GroupResource]bool{}
	var lists []*metav1.APIResourceList
	for _, first := range []bool{true, false} {
		for _, list := range all {
			if preferred[list.GroupVersion] != first {
				continue
			}
			gv, _ := schema.ParseGroupVersion(list.GroupVersion)
			own := &metav1.APIResourceList{GroupVersion: list.GroupVersion}
			for _, resource := range list.APIResources {
				gr := schema.GroupResource{Group: gv.Group, Resource: resource.Name}
				if !seen[gr] {
					seen[gr] = true
					own.APIResources = append(own.APIResources, resource)
				}
			}
			lists = append(lists, own)
		}
	}
	return lists, failed, nil
}
