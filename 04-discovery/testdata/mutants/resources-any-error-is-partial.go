//workshop:mutant resources-any-error-is-partial
//workshop:fault a discovery that failed altogether looks like an empty server
//workshop:step 3
//workshop:want nothing is known

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
	if failed == nil {
		failed = map[schema.GroupVersion]error{}
	}
	return lists, failed, nil
}
