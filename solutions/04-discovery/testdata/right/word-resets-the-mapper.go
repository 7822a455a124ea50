//workshop:accept word-resets-the-mapper
//workshop:why resetting the mapper makes its client forget
//workshop:step ResolveWord

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

func lookUp(ctx context.Context, mapper meta.RESTMapperWithContext, word string) (*meta.RESTMapping, error) {
	full, resource := schema.ParseResourceArg(word)
	candidates := []schema.GroupVersionResource{resource.WithVersion("")}
	if full != nil {
		candidates = append([]schema.GroupVersionResource{*full}, candidates...)
	}
	var err error
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
	mapper := restmapper.NewShortcutExpanderWithContext(restmapper.NewDeferredDiscoveryRESTMapperWithContext(client), client, nil)
	mapping, err := lookUp(ctx, mapper, word)
	if meta.IsNoMatchError(err) {
		meta.MaybeResetRESTMapperWithContext(ctx, mapper)
		mapping, err = lookUp(ctx, mapper, word)
	}
	if err != nil {
		return nil, fmt.Errorf("find %q: %w", word, err)
	}
	return mapping, nil
}
