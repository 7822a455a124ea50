//workshop:accept informable-with-helpers
//workshop:why client-go's filter and conversion do it together
//workshop:step Informable

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func Informable(lists []*metav1.APIResourceList) ([]schema.GroupVersionResource, error) {
	kept := discovery.FilteredBy(discovery.ResourcePredicateFunc(func(gv string, resource *metav1.APIResource) bool {
		return !strings.Contains(resource.Name, "/") && discovery.SupportsAllVerbs{Verbs: []string{"watch", "list"}}.Match(gv, resource)
	}), lists)
	gvrs, err := discovery.GroupVersionResources(kept)
	if err != nil {
		return nil, fmt.Errorf("read the lists: %w", err)
	}
	return slices.Collect(maps.Keys(gvrs)), nil
}
