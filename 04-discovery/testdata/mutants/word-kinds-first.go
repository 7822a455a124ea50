//workshop:mutant word-kinds-first
//workshop:fault the word is read as a Kind first, and a Kind in small letters comes back as it was typed
//workshop:step 8
//workshop:want in small letters

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	groups := func() (meta.RESTMapperWithContext, error) {
		resources, err := restmapper.GetAPIGroupResourcesWithContext(ctx, client)
		if err != nil {
			return nil, err
		}
		return restmapper.NewShortcutExpanderWithContext(restmapper.NewDiscoveryRESTMapperWithContext(resources), client, nil), nil
	}
	look := func() (*meta.RESTMapping, error) {
		mapper, err := groups()
		if err != nil {
			return nil, err
		}
		fullKind, gk := schema.ParseKindArg(word)
		if fullKind != nil {
			if mapping, err := mapper.RESTMappingWithContext(ctx, fullKind.GroupKind(), fullKind.Version); !meta.IsNoMatchError(err) {
				return mapping, err
			}
		}
		if mapping, err := mapper.RESTMappingWithContext(ctx, gk); !meta.IsNoMatchError(err) {
			return mapping, err
		}
		full, gr := schema.ParseResourceArg(word)
		if full != nil {
			if gvk, err := mapper.KindForWithContext(ctx, *full); err == nil {
				return mapper.RESTMappingWithContext(ctx, gvk.GroupKind(), gvk.Version)
			} else if !meta.IsNoMatchError(err) {
				return nil, err
			}
		}
		gvk, err := mapper.KindForWithContext(ctx, gr.WithVersion(""))
		if err != nil {
			return nil, err
		}
		return mapper.RESTMappingWithContext(ctx, gvk.GroupKind(), gvk.Version)
	}
	mapping, err := look()
	if meta.IsNoMatchError(err) {
		client.InvalidateWithContext(ctx)
		mapping, err = look()
	}
	if err != nil {
		return nil, fmt.Errorf("find %q: %w", word, err)
	}
	return mapping, nil
}
