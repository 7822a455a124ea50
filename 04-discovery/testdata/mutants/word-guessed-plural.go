//workshop:mutant word-guessed-plural
//workshop:fault the plural is the word with an s
//workshop:step 8
//workshop:want the kind is

package main

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	_, resource := schema.ParseResourceArg(word)
	lists, err := client.ServerPreferredResourcesWithContext(ctx)
	if err != nil && len(lists) == 0 {
		return nil, err
	}
	for _, list := range lists {
		gv, _ := schema.ParseGroupVersion(list.GroupVersion)
		for _, r := range list.APIResources {
			if r.Name == strings.TrimSuffix(resource.Resource, "s")+"s" {
				return &meta.RESTMapping{Resource: gv.WithResource(r.Name), GroupVersionKind: gv.WithKind(strings.TrimSuffix(r.Name, "s")), Scope: meta.RESTScopeNamespace}, nil
			}
		}
	}
	return nil, &meta.NoResourceMatchError{PartialResource: resource.WithVersion("")}
}
