//workshop:mutant resources-panics
//workshop:fault the program ends when one API is broken
//workshop:step 3
//workshop:want panicked

package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	if err != nil {
		panic(err)
	}
	return lists, nil, nil
}
