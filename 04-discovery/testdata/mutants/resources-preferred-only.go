//workshop:mutant resources-preferred-only
//workshop:fault only the preferred versions are returned
//workshop:step 3
//workshop:want the task asks for every version

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	lists, err := client.ServerPreferredResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	return lists, failed, nil
}
