//workshop:mutant informable-group-of-the-kind
//workshop:fault group and version are those of the kind
//workshop:step 6
//workshop:want those of its kind

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
		_ = gv
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "watch") {
				found = append(found, schema.GroupVersionResource{Group: resource.Group, Version: resource.Version, Resource: resource.Name})
			}
		}
	}
	return found, nil
}
