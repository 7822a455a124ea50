//workshop:mutant resources-partial-is-returned-as-error
//workshop:fault the results come together with an error, so a caller that looks at the error first loses them
//workshop:step 3
//workshop:want ErrGroupDiscoveryFailed comes together with the results

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, _ := discovery.GroupDiscoveryFailedErrorGroups(err)
	return lists, failed, err
}
