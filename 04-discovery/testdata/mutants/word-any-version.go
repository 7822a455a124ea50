//workshop:mutant word-any-version
//workshop:fault the first version that comes along is taken
//workshop:step 8
//workshop:want the resource is

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func search(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	_, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	if _, partial := discovery.GroupDiscoveryFailedErrorGroups(err); err != nil && !partial {
		return nil, err
	}
	name, rest, _ := strings.Cut(word, ".")
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || rest != "" && rest != gv.Group && rest != gv.Version+"."+gv.Group {
			continue
		}
		for _, r := range list.APIResources {
			if name != r.Name && !strings.EqualFold(name, r.SingularName) && name != r.Kind && !slices.Contains(r.ShortNames, name) {
				continue
			}
			scope := meta.RESTScopeRoot
			if r.Namespaced {
				scope = meta.RESTScopeNamespace
			}
			return &meta.RESTMapping{Resource: gv.WithResource(r.Name), GroupVersionKind: gv.WithKind(r.Kind), Scope: scope}, nil
		}
	}
	return nil, &meta.NoResourceMatchError{PartialResource: schema.GroupVersionResource{Resource: word}}
}

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	mapping, err := search(ctx, client, word)
	if meta.IsNoMatchError(err) {
		client.InvalidateWithContext(ctx)
		mapping, err = search(ctx, client, word)
	}
	if err != nil {
		return nil, fmt.Errorf("find %q: %w", word, err)
	}
	return mapping, nil
}
