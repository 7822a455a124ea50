//workshop:mutant resource-kind-with-s
//workshop:fault an s makes the plural
//workshop:step 7
//workshop:want cannot be guessed from the kind

package main

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

func ResourceFor(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapperWithContext, kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	mapping, err := mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, fmt.Errorf("find the resource of %s: %w", kind, err)
	}
	resource := client.Resource(kind.GroupVersion().WithResource(strings.ToLower(kind.Kind) + "s"))
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return resource.Namespace(namespace), nil
	}
	return resource, nil
}
