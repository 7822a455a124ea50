//workshop:mutant preferred-one-by-one
//workshop:fault each group-version is asked for by itself
//workshop:step 4
//workshop:want one request for each group-version

package main

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func PreferredResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	groups, err := client.ServerGroupsWithContext(ctx)
	if err != nil {
		return nil, nil, err
	}
	failed := map[schema.GroupVersion]error{}
	var lists []*metav1.APIResourceList
	seen := map[schema.GroupResource]bool{}
	for _, group := range groups.Groups {
		versions := append([]metav1.GroupVersionForDiscovery{group.PreferredVersion}, group.Versions...)
		for _, version := range versions {
			if version.GroupVersion == "" {
				continue
			}
			list, err := client.ServerResourcesForGroupVersionWithContext(ctx, version.GroupVersion)
			if err != nil {
				failed[schema.GroupVersion{Group: group.Name, Version: version.Version}] = err
				continue
			}
			own := &metav1.APIResourceList{GroupVersion: list.GroupVersion}
			for _, resource := range list.APIResources {
				gr := schema.GroupResource{Group: group.Name, Resource: resource.Name}
				if seen[gr] || strings.Contains(resource.Name, "/") {
					continue
				}
				seen[gr] = true
				own.APIResources = append(own.APIResources, resource)
			}
			lists = append(lists, own)
		}
	}
	return lists, failed, nil
}
