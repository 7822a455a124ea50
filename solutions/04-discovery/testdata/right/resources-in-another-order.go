//workshop:accept resources-in-another-order
//workshop:why the lists have no order, so any other is as good
//workshop:step DiscoverResources

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/klog/v2"
)

func DiscoverResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) (*Resources, error) {
	_, all, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, err := failedGroups(err)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	preferred, err := client.ServerPreferredResourcesWithContext(ctx)
	alsoFailed, err := failedGroups(err)
	if err != nil {
		return nil, fmt.Errorf("discover: %w", err)
	}
	maps.Copy(failed, alsoFailed)
	for _, lists := range [][]*metav1.APIResourceList{all, preferred} {
		slices.SortFunc(lists, func(a, b *metav1.APIResourceList) int { return strings.Compare(b.GroupVersion, a.GroupVersion) })
		for _, list := range lists {
			slices.Reverse(list.APIResources)
		}
	}
	klog.FromContext(ctx).Info("Discovered", "lists", len(all), "failed", len(failed))
	return &Resources{All: all, Preferred: preferred, Failed: failed}, nil
}
