//workshop:mutant resources-asks-until-whole
//workshop:fault a partial failure is asked about again and again
//workshop:step 3
//workshop:want not a reason to ask until it is over

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	for range 19 {
		_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
		if err == nil {
			return lists, nil, nil
		}
		if ctx.Err() != nil {
			return nil, nil, err
		}
	}
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, err
	}
	return lists, failed, nil
}
