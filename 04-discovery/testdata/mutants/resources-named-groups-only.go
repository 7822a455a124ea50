//workshop:mutant resources-named-groups-only
//workshop:fault the groups are named without their version
//workshop:step 3
//workshop:want does not name it

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	broken, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, err
	}
	failed := map[schema.GroupVersion]error{}
	for gv, cause := range broken {
		failed[schema.GroupVersion{Group: gv.Group}] = cause
	}
	return lists, failed, nil
}
