//workshop:mutant resources-through-the-mapper
//workshop:fault GetAPIGroupResources returns the rest and drops the failure
//workshop:step 3
//workshop:want does not name it
//workshop:want GetAPIGroupResources does not tell

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	groups, err := restmapper.GetAPIGroupResourcesWithContext(ctx, client)
	if err != nil {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	var lists []*metav1.APIResourceList
	for _, group := range groups {
		for version, resources := range group.VersionedResources {
			gv := schema.GroupVersion{Group: group.Group.Name, Version: version}
			lists = append(lists, &metav1.APIResourceList{GroupVersion: gv.String(), APIResources: resources})
		}
	}
	return lists, nil, nil
}
