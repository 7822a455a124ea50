//workshop:mutant resource-kind-as-singular
//workshop:fault the kind is looked up as a resource
//workshop:step 7
//workshop:want as they are

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
	found, err := mapper.ResourceForWithContext(ctx, kind.GroupVersion().WithResource(strings.ToLower(kind.Kind)))
	if err != nil {
		return nil, fmt.Errorf("find the resource of %s: %w", kind, err)
	}
	resource := client.Resource(found)
	return resource.Namespace(namespace), nil
}
