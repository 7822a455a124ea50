//workshop:mutant resources-one-by-one
//workshop:fault each group-version is asked for by itself
//workshop:step 3
//workshop:want one request for each group-version

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	groups, err := client.ServerGroupsWithContext(ctx)
	if err != nil {
		return nil, nil, err
	}
	failed := map[schema.GroupVersion]error{}
	var lists []*metav1.APIResourceList
	for _, gv := range metav1.ExtractGroupVersions(groups) {
		list, err := client.ServerResourcesForGroupVersionWithContext(ctx, gv)
		if err != nil {
			parsed, _ := schema.ParseGroupVersion(gv)
			failed[parsed] = err
			continue
		}
		lists = append(lists, list)
	}
	// Stale versions do not stand among the groups, so ask for these as well.
	_, _, err = client.ServerGroupsAndResourcesWithContext(ctx)
	broken, _ := discovery.GroupDiscoveryFailedErrorGroups(err)
	for gv, err := range broken {
		failed[gv] = err
	}
	return lists, failed, nil
}
