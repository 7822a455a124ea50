//workshop:accept preferred-one-list-per-resource
//workshop:why an own list for each resource
//workshop:step DiscoverResources

package main

import (
	"context"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
)

func DiscoverResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) (*Resources, error) {
	_, all, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, err := failedGroups(err)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	lists, err := discovery.ServerPreferredResourcesWithContext(ctx, client)
	alsoFailed, err := failedGroups(err)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	var preferred []*metav1.APIResourceList
	for _, l := range lists {
		for _, r := range l.APIResources {
			preferred = append(preferred, &metav1.APIResourceList{GroupVersion: l.GroupVersion, APIResources: []metav1.APIResource{r}})
		}
	}
	maps.Copy(failed, alsoFailed)
	return &Resources{All: all, Preferred: preferred, Failed: failed}, nil
}
