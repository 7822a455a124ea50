//workshop:mutant resources-wrapped-too-early
//workshop:fault the error is wrapped before its kind is looked at, which IsGroupDiscoveryFailedError does not see through
//workshop:step 3
//workshop:want ErrGroupDiscoveryFailed comes together with the results

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
	if err != nil {
		err = fmt.Errorf("discover: %w", err)
	}
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, nil, err
	}
	failed, _ := discovery.GroupDiscoveryFailedErrorGroups(err)
	return lists, failed, nil
}
