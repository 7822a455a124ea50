//workshop:mutant resource-client-beside-error
//workshop:fault a client comes with the error
//workshop:step 7
//workshop:want return nil with an error

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
	if err != nil {
		return client.Resource(kind.GroupVersion().WithResource("")), fmt.Errorf("find the resource of %s: %w", kind, err)
	}
	resource := client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return resource.Namespace(namespace), nil
	}
	return resource, nil
}
