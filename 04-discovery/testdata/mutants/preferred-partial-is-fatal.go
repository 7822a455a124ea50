//workshop:mutant preferred-partial-is-fatal
//workshop:fault one broken API hides the rest
//workshop:step 4
//workshop:want ErrGroupDiscoveryFailed comes together with the results

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func PreferredResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	lists, err := client.ServerPreferredResourcesWithContext(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	return lists, nil, nil
}
