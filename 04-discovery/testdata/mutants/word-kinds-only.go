//workshop:mutant word-kinds-only
//workshop:fault the word is read as a Kind only
//workshop:step 8
//workshop:want a word without a group is looked up in all groups

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	mapper := restmapper.NewDeferredDiscoveryRESTMapperWithContext(client)
	full, kind := schema.ParseKindArg(word)
	if full != nil {
		if mapping, err := mapper.RESTMappingWithContext(ctx, full.GroupKind(), full.Version); err == nil {
			return mapping, nil
		}
	}
	return mapper.RESTMappingWithContext(ctx, kind)
}
