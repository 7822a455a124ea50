//workshop:mutant informable-list-only
//workshop:fault list without watch is taken for enough
//workshop:step 6
//workshop:want needs list and watch, both

package main

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func Informable(lists []*metav1.APIResourceList) ([]schema.GroupVersionResource, error) {
	var found []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", list.GroupVersion, err)
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && slices.Contains(resource.Verbs, "list") {
				found = append(found, gv.WithResource(resource.Name))
			}
		}
	}
	return found, nil
}
