//workshop:accept resources-in-another-order
//workshop:why the lists have no order, so any other is as good
//workshop:step ServerResources

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/klog/v2"
)

func ServerResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	slices.SortFunc(lists, func(a, b *metav1.APIResourceList) int { return strings.Compare(b.GroupVersion, a.GroupVersion) })
	for _, list := range lists {
		slices.Reverse(list.APIResources)
	}
	klog.FromContext(ctx).Info("Discovered", "lists", len(lists), "failed", len(failed))
	return lists, failed, nil
}
