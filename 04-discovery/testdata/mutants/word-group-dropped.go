//workshop:mutant word-group-dropped
//workshop:fault the group in the word is dropped
//workshop:step 8
//workshop:want the part after the first dot is the group

package main

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	name, _, _ := strings.Cut(word, ".")
	look := func() (*meta.RESTMapping, error) {
		mapper := restmapper.NewShortcutExpanderWithContext(restmapper.NewDeferredDiscoveryRESTMapperWithContext(client), client, nil)
		kind, err := mapper.KindForWithContext(ctx, schema.GroupVersionResource{Resource: name})
		if err != nil {
			return nil, fmt.Errorf("find %q: %w", word, err)
		}
		return mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
	}
	mapping, err := look()
	if meta.IsNoMatchError(err) {
		client.InvalidateWithContext(ctx)
		return look()
	}
	return mapping, err
}
