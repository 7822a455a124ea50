//workshop:mutant resources-once-for-all
//workshop:fault the first answer is kept in a package variable and given for every client
//workshop:step 3
//workshop:want do not come from the server

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

var kept []*metav1.APIResourceList

var keptFailed map[schema.GroupVersion]error

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	if kept != nil {
		return kept, keptFailed, nil
	}
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, err
	}
	kept, keptFailed = lists, failed
	return lists, failed, nil
}
