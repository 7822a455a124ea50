//workshop:mutant resources-named-without-cause
//workshop:fault the groups that failed are named, with no error
//workshop:step 3
//workshop:want with a nil error

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
	for gv := range broken {
		failed[gv] = nil
	}
	return lists, failed, nil
}
