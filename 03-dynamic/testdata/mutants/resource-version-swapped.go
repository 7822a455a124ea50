//workshop:mutant resource-version-swapped
//workshop:fault a version is put on the mapping of another
//workshop:step 7
//workshop:want must not be guessed

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

func ResourceFor(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapperWithContext, kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := mapper.RESTMappingWithContext(ctx, kind.GroupKind())
	if err != nil {
		return nil, fmt.Errorf("find the resource of %s: %w", kind, err)
	}
	resource := client.Resource(kind.GroupVersion().WithResource(mapping.Resource.Resource))
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return resource.Namespace(namespace), nil
	}
	return resource, nil
}
