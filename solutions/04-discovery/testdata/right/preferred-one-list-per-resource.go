//workshop:accept preferred-one-list-per-resource
//workshop:why an own list for each resource
//workshop:step PreferredResources

package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func PreferredResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	lists, err := discovery.ServerPreferredResourcesWithContext(ctx, client)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	var out []*metav1.APIResourceList
	for _, l := range lists {
		for _, r := range l.APIResources {
			out = append(out, &metav1.APIResourceList{GroupVersion: l.GroupVersion, APIResources: []metav1.APIResource{r}})
		}
	}
	return out, failed, nil
}
