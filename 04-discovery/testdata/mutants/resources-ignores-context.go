//workshop:mutant resources-ignores-context
//workshop:fault the end of ctx does not end the discovery
//workshop:step 3
//workshop:want did not return within

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(context.Background())
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	return lists, failed, nil
}
