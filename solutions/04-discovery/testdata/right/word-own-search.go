//workshop:accept word-own-search
//workshop:why the documents can be searched without a mapper
//workshop:step ResolveWord

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func search(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	groups, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	if _, partial := discovery.GroupDiscoveryFailedErrorGroups(err); err != nil && !partial {
		return nil, err
	}
	byVersion := map[string]*metav1.APIResourceList{}
	for _, list := range lists {
		byVersion[list.GroupVersion] = list
	}
	name, rest, _ := strings.Cut(word, ".")
	// The core group comes first, as in kubectl.
	slices.SortStableFunc(groups, func(a, b *metav1.APIGroup) int { return min(len(a.Name), 1) - min(len(b.Name), 1) })
	for _, group := range groups {
		versions := append([]metav1.GroupVersionForDiscovery{group.PreferredVersion}, group.Versions...)
		for _, version := range versions {
			if rest != "" && rest != group.Name && rest != version.Version+"."+group.Name {
				continue
			}
			list := byVersion[version.GroupVersion]
			if list == nil {
				continue
			}
			for _, r := range list.APIResources {
				if strings.Contains(r.Name, "/") || name != r.Name && !strings.EqualFold(name, r.SingularName) && name != r.Kind && !slices.Contains(r.ShortNames, name) {
					continue
				}
				gv := schema.GroupVersion{Group: group.Name, Version: version.Version}
				scope := meta.RESTScopeRoot
				if r.Namespaced {
					scope = meta.RESTScopeNamespace
				}
				return &meta.RESTMapping{Resource: gv.WithResource(r.Name), GroupVersionKind: gv.WithKind(r.Kind), Scope: scope}, nil
			}
		}
	}
	return nil, &meta.NoResourceMatchError{PartialResource: schema.GroupVersionResource{Resource: word}}
}

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	mapping, err := search(ctx, client, word)
	if err != nil {
		return nil, fmt.Errorf("find %q: %w", word, err)
	}
	return mapping, nil
}
