//workshop:mutant informable-filters-the-lists
//workshop:fault the caller's lists are filtered in place
//workshop:step 6
//workshop:want lists that the caller handed over were changed

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
		list.APIResources = slices.DeleteFunc(list.APIResources, func(resource metav1.APIResource) bool {
			return strings.Contains(resource.Name, "/")
		})
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "watch") {
				found = append(found, gv.WithResource(resource.Name))
			}
		}
	}
	return found, nil
}
