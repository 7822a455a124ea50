//workshop:mutant resource-guess-when-broken
//workshop:fault a mapper that fails is replaced by a guess
//workshop:step 7
//workshop:want no licence to guess

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

func ResourceFor(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapperWithContext, kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
	if err != nil && !meta.IsNoMatchError(err) {
		guessed, _ := meta.UnsafeGuessKindToResource(kind)
		return client.Resource(guessed).Namespace(namespace), nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the resource of %s: %w", kind, err)
	}
	resource := client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return resource.Namespace(namespace), nil
	}
	return resource, nil
}
