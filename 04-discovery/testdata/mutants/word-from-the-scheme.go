//workshop:mutant word-from-the-scheme
//workshop:fault client-go's own types are looked at, not the server's
//workshop:step 8
//workshop:want client-go's own scheme

package main

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
)

func ResolveWord(ctx context.Context, client discovery.CachedDiscoveryInterfaceWithContext, word string) (*meta.RESTMapping, error) {
	client.InvalidateWithContext(ctx)
	_, resource := schema.ParseResourceArg(word)
	for kind := range scheme.Scheme.AllKnownTypes() {
		plural, singular := meta.UnsafeGuessKindToResource(kind)
		if plural.Resource == strings.ToLower(resource.Resource) || singular.Resource == strings.ToLower(resource.Resource) {
			if kind.Version == "v1" && (kind.Group == "apps" || kind.Group == "") {
				return &meta.RESTMapping{Resource: plural, GroupVersionKind: kind, Scope: meta.RESTScopeNamespace}, nil
			}
		}
	}
	return nil, &meta.NoResourceMatchError{PartialResource: resource.WithVersion("")}
}
