//workshop:accept word-as-kubectl-does
//workshop:why kubectl tries one reading after the other and keeps the last error
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

func read(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	mapper := restmapper.NewShortcutExpanderWithContext(restmapper.NewDeferredDiscoveryRESTMapperWithContext(client), client, nil)
	full, resource := schema.ParseResourceArg(word)
	var gvk schema.GroupVersionKind
	if full != nil {
		gvk, _ = mapper.KindForWithContext(ctx, *full)
	}
	if gvk.Empty() {
		gvk, _ = mapper.KindForWithContext(ctx, resource.WithVersion(""))
	}
	if !gvk.Empty() {
		return mapper.RESTMappingWithContext(ctx, gvk.GroupKind(), gvk.Version)
	}
	fullKind, kind := schema.ParseKindArg(word)
	if fullKind == nil {
		empty := kind.WithVersion("")
		fullKind = &empty
	}
	if !fullKind.Empty() {
		if mapping, err := mapper.RESTMappingWithContext(ctx, fullKind.GroupKind(), fullKind.Version); err == nil {
			return mapping, nil
		}
	}
	return mapper.RESTMappingWithContext(ctx, kind, gvk.Version)
}

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	mapping, err := read(ctx, client, word)
	if err != nil {
		return nil, fmt.Errorf("find %q: %w", word, err)
	}
	return mapping, nil
}
