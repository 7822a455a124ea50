//workshop:mutant resources-all-failed
//workshop:fault everything counts as failed when one API is broken
//workshop:step 3
//workshop:want which is served

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	groups, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	if partial {
		for _, group := range groups {
			for _, version := range group.Versions {
				failed[schema.GroupVersion{Group: group.Name, Version: version.Version}] = err
			}
		}
	}
	return lists, failed, nil
}
