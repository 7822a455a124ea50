//workshop:mutant resource-guessed
//workshop:fault client-go is asked to guess the plural
//workshop:step 7
//workshop:want cannot be guessed from the kind

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

func ResourceFor(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapperWithContext, kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	guessed, _ := meta.UnsafeGuessKindToResource(kind)
	mapping, err := mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, fmt.Errorf("find the resource of %s: %w", kind, err)
	}
	resource := client.Resource(guessed)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return resource.Namespace(namespace), nil
	}
	return resource, nil
}
