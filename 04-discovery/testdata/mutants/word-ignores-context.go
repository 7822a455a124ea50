//workshop:mutant word-ignores-context
//workshop:fault the end of ctx does not end the search
//workshop:step 8
//workshop:want did not return within

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

func lookUp(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	mapper := restmapper.NewShortcutExpanderWithContext(restmapper.NewDeferredDiscoveryRESTMapperWithContext(client), client, nil)
	full, resource := schema.ParseResourceArg(word)
	candidates := []schema.GroupVersionResource{resource.WithVersion("")}
	if full != nil {
		candidates = append([]schema.GroupVersionResource{*full}, candidates...)
	}
	var err error
	for _, candidate := range candidates {
		var kind schema.GroupVersionKind
		kind, err = mapper.KindForWithContext(context.Background(), candidate)
		if err == nil {
			return mapper.RESTMappingWithContext(context.Background(), kind.GroupKind(), kind.Version)
		}
		if !meta.IsNoMatchError(err) {
			return nil, err
		}
	}
	fullKind, kind := schema.ParseKindArg(word)
	if fullKind != nil {
		mapping, err := mapper.RESTMappingWithContext(context.Background(), fullKind.GroupKind(), fullKind.Version)
		if !meta.IsNoMatchError(err) {
			return mapping, err
		}
	}
	return mapper.RESTMappingWithContext(context.Background(), kind)
}

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	mapping, err := lookUp(ctx, client, word)
	if meta.IsNoMatchError(err) {
		client.InvalidateWithContext(ctx)
		mapping, err = lookUp(ctx, client, word)
	}
	if err != nil {
		return nil, fmt.Errorf("find %q: %w", word, err)
	}
	return mapping, nil
}
