//workshop:mutant word-unknown-version-dropped
//workshop:fault an unknown version is dropped, and the preferred one is returned
//workshop:step 8
//workshop:want not a word without a version

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
	look := func() (*meta.RESTMapping, error) {
		mapper := restmapper.NewShortcutExpanderWithContext(restmapper.NewDeferredDiscoveryRESTMapperWithContext(client), client, nil)
		full, gr := schema.ParseResourceArg(word)
		var tries []schema.GroupVersionResource
		if full != nil {
			tries = append(tries, *full, full.GroupResource().WithVersion(""))
		}
		for _, try := range append(tries, gr.WithVersion("")) {
			kind, err := mapper.KindForWithContext(ctx, try)
			if err == nil {
				return mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
			}
			if !meta.IsNoMatchError(err) {
				return nil, err
			}
		}
		fullKind, gk := schema.ParseKindArg(word)
		if fullKind != nil {
			if mapping, err := mapper.RESTMappingWithContext(ctx, fullKind.GroupKind(), fullKind.Version); !meta.IsNoMatchError(err) {
				return mapping, err
			}
		}
		return mapper.RESTMappingWithContext(ctx, gk)
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
