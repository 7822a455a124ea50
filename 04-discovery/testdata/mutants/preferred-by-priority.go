//workshop:mutant preferred-by-priority
//workshop:fault the newest stable version by name, whatever the group prefers
//workshop:step 4
//workshop:want prefers v1beta1

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
)

func PreferredResources(ctx context.Context, client discovery.DiscoveryInterfaceWithContext) ([]*metav1.APIResourceList, map[schema.GroupVersion]error, error) {
	groups, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return nil, nil, fmt.Errorf("discover: %w", err)
	}
	by := map[string]*metav1.APIResourceList{}
	for _, l := range lists {
		by[l.GroupVersion] = l
	}
	var out []*metav1.APIResourceList
	for _, g := range groups {
		versions := slices.Clone(g.Versions)
		slices.SortStableFunc(versions, func(a, b metav1.GroupVersionForDiscovery) int {
			return -apiversion.CompareKubeAwareVersionStrings(a.Version, b.Version)
		})
		seen := map[string]bool{}
		for _, v := range versions {
			l := by[v.GroupVersion]
			if l == nil {
				continue
			}
			mine := &metav1.APIResourceList{GroupVersion: v.GroupVersion}
			for _, r := range l.APIResources {
				if !strings.Contains(r.Name, "/") && !seen[r.Name] {
					seen[r.Name] = true
					mine.APIResources = append(mine.APIResources, r)
				}
			}
			out = append(out, mine)
		}
	}
	return out, failed, nil
}
