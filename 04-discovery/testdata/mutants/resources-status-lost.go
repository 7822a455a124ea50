//workshop:mutant resources-status-lost
//workshop:fault the error is made anew from its text
//workshop:step 3
//workshop:want wrap the error with %w

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover: %v", err)
	}
	return lists, failed, nil
}
