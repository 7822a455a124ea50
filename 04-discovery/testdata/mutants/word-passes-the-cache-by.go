//workshop:mutant word-passes-the-cache-by
//workshop:fault each call discovers everything anew
//workshop:step 8
//workshop:want was known, and asking again cost

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

func lookUp(ctx context.Context, client discovery.DiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	groups, err := restmapper.GetAPIGroupResourcesWithContext(ctx, client)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewShortcutExpanderWithContext(restmapper.NewDiscoveryRESTMapperWithContext(groups), client, nil)
	full, resource := schema.ParseResourceArg(word)
	candidates := []schema.GroupVersionResource{resource.WithVersion("")}
	if full != nil {
		candidates = append([]schema.GroupVersionResource{*full}, candidates...)
	}
	for _, candidate := range candidates {
		var kind schema.GroupVersionKind
		kind, err = mapper.KindForWithContext(ctx, candidate)
		if err == nil {
			return mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
		}
		if !meta.IsNoMatchError(err) {
			return nil, err
		}
	}
	fullKind, kind := schema.ParseKindArg(word)
	if fullKind != nil {
		mapping, err := mapper.RESTMappingWithContext(ctx, fullKind.GroupKind(), fullKind.Version)
		if !meta.IsNoMatchError(err) {
			return mapping, err
		}
	}
	return mapper.RESTMappingWithContext(ctx, kind)
}

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	mapping, err := lookUp(ctx, discovery.NewDiscoveryClient(client.RESTClient()), word)
	if meta.IsNoMatchError(err) {
		client.InvalidateWithContext(ctx)
		mapping, err = lookUp(ctx, discovery.NewDiscoveryClient(client.RESTClient()), word)
	}
	if err != nil {
		return nil, fmt.Errorf("find %q: %w", word, err)
	}
	return mapping, nil
}
